// Bits, packing and the dot product of packed bytes.
#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

// `text` with T the value type, U its unsigned twin and F the function's name, each marked by '$'.
std::string filled(std::string_view text, std::string_view type, std::string_view unsigned_type,
                   std::string_view function) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      result += text[i];
      continue;
    }
    const char which = text[++i];
    result += which == 'T' ? type : which == 'U' ? unsigned_type : function;
  }
  return result;
}

constexpr std::string_view count_trailing_zeros = "static $T $F($T x) {\n  return 32 - clz(~x & (x - 1));\n}";

// The position of the lowest set bit, or -1: x & -x keeps that bit alone.
constexpr std::string_view first_trailing_bit =
    "static $T $F($T x) {\n  $U bits = as_$U(x);\n  return as_$T(31 - clz(bits & -bits));\n}";

// Of a negative number the highest zero bit counts, so its complement is searched.
constexpr std::string_view first_leading_bit_signed = "static $T $F($T x) {\n  return 31 - clz(x ^ (x >> 31));\n}";

// A count of 0 is apart: shifting by 32 shifts by 0.
constexpr std::string_view extract_bits =
    "static $T $F($T e, uint offset, uint count) {\n"
    "  uint o = min(offset, 32u);\n"
    "  uint c = min(count, 32u - o);\n"
    "  return c == 0u ? ($T)(0) : (e << (32u - c - o)) >> (32u - c);\n}";

constexpr std::string_view insert_bits =
    "static $T $F($T e, $T bits, uint offset, uint count) {\n"
    "  uint o = min(offset, 32u);\n"
    "  uint c = min(count, 32u - o);\n"
    "  uint mask = c == 0u ? 0u : (0xffffffffu >> (32u - c)) << o;\n"
    "  return as_$T((as_$U(e) & ~mask) | ((as_$U(bits) << o) & mask));\n}";

constexpr std::string_view reverse_bits =
    "static $T $F($T e) {\n"
    "  $U x = as_$U(e);\n"
    "  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);\n"
    "  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);\n"
    "  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);\n"
    "  x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);\n"
    "  return as_$T((x >> 16) | (x << 16));\n}";

}  // namespace

Code Printer::bit_builtin(const Expression& expression, const BuiltinCall& node) {
  const std::string type = type_name(expression.type);
  const int width = width_of(expression.type);
  const std::string unsigned_type = width > 1 ? "uint" + std::to_string(width) : "uint";
  const bool is_signed = scalar_of(expression.type) == Scalar::I32;
  const auto helper = [&](std::string_view base, std::string_view text) {
    const std::string function = std::string(base) + "_" + type;
    return call(prelude_.require(function, filled(text, type, unsigned_type, function)), node.arguments);
  };
  switch (node.builtin) {
    case Builtin::CountLeadingZeros: return call("clz", node.arguments);
    case Builtin::CountOneBits: return call("popcount", node.arguments);
    case Builtin::CountTrailingZeros: {
      if (!is_signed) return helper("count_trailing_zeros", count_trailing_zeros);
      // x - 1 overflows for the least int, so the helper is the unsigned one.
      const std::string function = "count_trailing_zeros_" + unsigned_type;
      prelude_.require(function, filled(count_trailing_zeros, unsigned_type, unsigned_type, function));
      return {"as_" + type + "(" + function + "(as_" + unsigned_type + "(" + argument(*node.arguments[0]) + ")))",
              Precedence::Postfix};
    }
    case Builtin::FirstLeadingBit:
      if (is_signed) return helper("first_leading_bit", first_leading_bit_signed);
      return {"31u - " + call("clz", node.arguments).text, Precedence::Additive};
    case Builtin::FirstTrailingBit: return helper("first_trailing_bit", first_trailing_bit);
    case Builtin::ExtractBits: return helper("extract_bits", extract_bits);
    case Builtin::InsertBits: return helper("insert_bits", insert_bits);
    case Builtin::ReverseBits: return helper("reverse_bits", reverse_bits);
    default: throw InternalError("A bit builtin is missing from the OpenCL C emitter.");
  }
}

std::string Printer::pack_helper() {
  if (dialect_.f16_ptx) {
    // Devices with matrix units also have the conversion of two at once, the upper half first.
    const std::string_view instruction =
        dialect_.matrices ? "cvt.rn.f16x2.f32 %0, %2, %1;"
                          : "{ .reg .b16 l, h; cvt.rn.f16.f32 l, %1; cvt.rn.f16.f32 h, %2; mov.b32 %0, {l, h}; }";
    return prelude_.require("pack_2x16_float", "static uint pack_2x16_float(float2 v) {\n  uint bits;\n  asm(\"" +
                                                   std::string(instruction) +
                                                   "\" : \"=r\"(bits) : \"f\"(v.x), \"f\"(v.y));\n  return bits;\n}");
  }
  return prelude_.require("pack_2x16_float",
                          "static uint pack_2x16_float(float2 v) {\n  uint bits;\n"
                          "  vstore_half2_rte(v, 0, (half*)&bits);\n  return bits;\n}");
}

std::string Printer::unpack_helper() {
  if (dialect_.f16_ptx) {
    return prelude_.require("unpack_2x16_float",
                            "static float2 unpack_2x16_float(uint bits) {\n  float x, y;\n"
                            "  asm(\"{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }\"\n"
                            "      : \"=f\"(x), \"=f\"(y) : \"r\"(bits));\n  return (float2)(x, y);\n}");
  }
  return prelude_.require("unpack_2x16_float",
                          "static float2 unpack_2x16_float(uint bits) {\n"
                          "  return vload_half2(0, (const half*)&bits);\n}");
}

std::string Printer::pack_four_helper() {
  const std::string pack = pack_helper();
  return prelude_.require("pack_4x16_float", "static uint2 pack_4x16_float(float4 v) {\n  return (uint2)(" + pack +
                                                 "(v.xy), " + pack + "(v.zw));\n}");
}

std::string Printer::unpack_four_helper() {
  const std::string unpack = unpack_helper();
  return prelude_.require("unpack_4x16_float", "static float4 unpack_4x16_float(uint2 bits) {\n  return (float4)(" +
                                                   unpack + "(bits.x), " + unpack + "(bits.y));\n}");
}

Code Printer::packing_builtin(const Expression& expression, const BuiltinCall& node) {
  const auto wrapped = [&](std::string_view before, std::string_view after) {
    return Code{std::string(before) + argument(*node.arguments[0]) + std::string(after), Precedence::Postfix};
  };
  switch (node.builtin) {
    case Builtin::Pack2x16Float: return call(pack_helper(), node.arguments);
    case Builtin::Unpack2x16Float: return call(unpack_helper(), node.arguments);
    case Builtin::Pack4x8Snorm:
      return wrapped("as_uint(convert_char4(floor(0.5f + 127.0f * clamp(", ", -1.0f, 1.0f))))");
    case Builtin::Pack4x8Unorm:
      return wrapped("as_uint(convert_uchar4(floor(0.5f + 255.0f * clamp(", ", 0.0f, 1.0f))))");
    case Builtin::Unpack4x8Snorm: return wrapped("fmax(convert_float4(as_char4(", ")) / 127.0f, -1.0f)");
    case Builtin::Unpack4x8Unorm:
      return {wrapped("convert_float4(as_uchar4(", ")) / 255.0f").text, Precedence::Multiplicative};
    case Builtin::Pack4xI8: return wrapped("as_uint(convert_uchar4(as_uint4(", ")))");
    case Builtin::Pack4xU8: return wrapped("as_uint(convert_uchar4(", "))");
    case Builtin::Pack4xI8Clamp: return wrapped("as_uint(convert_char4_sat(", "))");
    case Builtin::Pack4xU8Clamp: return wrapped("as_uint(convert_uchar4_sat(", "))");
    case Builtin::Unpack4xI8: return wrapped("convert_int4(as_char4(", "))");
    case Builtin::Unpack4xU8: return wrapped("convert_uint4(as_uchar4(", "))");
    case Builtin::Dot4I8Packed:
    case Builtin::Dot4U8Packed:
    case Builtin::Dot4U8I8Packed: return dot_accumulate(node, "");
    default:
      throw InternalError("The builtin '" + std::string(to_string(node.builtin)) + "' of type " +
                          to_string(expression.type) + " is missing from the OpenCL C emitter.");
  }
}

bool Printer::is_wide_dot(const BuiltinCall& node) const {
  return uses_wide_dot_ && node.builtin == Builtin::Dot4U8I8Packed && width_of(node.arguments[0]->type) == 16;
}

const BuiltinCall* Printer::accumulating_dot(const Expression& sum) const {
  const auto* node = std::get_if<Binary>(&sum.node);
  if (node == nullptr || node->op != BinaryOp::Add) return nullptr;
  const bool has_ptx = dialect_.packed_dot == OpenClDialect::PackedDot::NvidiaPtx;
  for (const ExpressionPtr* side : {&node->right, &node->left}) {
    const auto* dot = std::get_if<BuiltinCall>(&(*side)->node);
    if (dot == nullptr) continue;
    const bool is_plain = dot->builtin == Builtin::Dot4I8Packed || dot->builtin == Builtin::Dot4U8Packed;
    if ((has_ptx && is_plain) || is_wide_dot(*dot)) return dot;
  }
  return nullptr;
}

std::string Printer::packed_dot_helper(bool is_signed) {
  const std::string function = is_signed ? "dot_4x8_signed" : "dot_4x8_unsigned";
  const std::string result = is_signed ? "int" : "uint";
  if (dialect_.packed_dot == OpenClDialect::PackedDot::NvidiaPtx) {
    const std::string kind = is_signed ? "s32.s32" : "u32.u32";
    return prelude_.require(function, "static " + result + " " + function + "(uint a, uint b, " + result +
                                          " sum) {\n  " + result + " d;\n  asm(\"dp4a." + kind +
                                          " %0, %1, %2, %3;\" : \"=r\"(d) : \"r\"(a), \"r\"(b), \"r\"(sum));\n"
                                          "  return d;\n}");
  }
  const std::string products = is_signed ? "int4 p = convert_int4(as_char4(a)) * convert_int4(as_char4(b));"
                                         : "uint4 p = convert_uint4(as_uchar4(a)) * convert_uint4(as_uchar4(b));";
  return prelude_.require(function, "static " + result + " " + function + "(uint a, uint b) {\n  " + products +
                                        "\n  return p.x + p.y + p.z + p.w;\n}");
}

std::string Printer::mixed_dot_helper(int width) {
  const std::string n = width > 1 ? std::to_string(width) : "";
  const std::string function = "dot_4x8_mixed" + (n.empty() ? "" : "_" + n);
  std::string sum;
  for (int k = 0; k < 4; ++k) {
    const std::string shift = std::to_string(24 - 8 * k);
    const std::string low = k == 0 ? "a" : "(a >> " + std::to_string(8 * k) + ")";
    sum += (k == 0 ? "" : " + ") + ("as_int" + n + "(" + low + " & 255u)") + " * (as_int" + n +
           (k == 3 ? "(b)" : "(b << " + shift + ")") + " >> 24)";
  }
  return prelude_.require(
      function, "static int" + n + " " + function + "(uint" + n + " a, uint" + n + " b) {\n  return " + sum + ";\n}");
}

Code Printer::dot_accumulate(const BuiltinCall& dot, const std::string& addend) {
  if (is_wide_dot(dot)) {
    const std::string sum = addend.empty() ? "(int16)(0)" : addend;
    return {"as_int16(__builtin_ia32_vpdpbusd512(" + sum + ", as_int16(" + argument(*dot.arguments[0]) +
                "), as_int16(" + argument(*dot.arguments[1]) + ")))",
            Precedence::Postfix};
  }
  if (dot.builtin == Builtin::Dot4U8I8Packed) {
    const bool is_khr = dialect_.packed_dot == OpenClDialect::PackedDot::Khr && dialect_.mixed_dot;
    if (is_khr && width_of(dot.arguments[0]->type) == 1) return call("dot_4x8packed_us_int", dot.arguments);
    return call(mixed_dot_helper(width_of(dot.arguments[0]->type)), dot.arguments);
  }
  const bool is_signed = dot.builtin == Builtin::Dot4I8Packed;
  const std::string operands = argument(*dot.arguments[0]) + ", " + argument(*dot.arguments[1]);
  switch (dialect_.packed_dot) {
    case OpenClDialect::PackedDot::NvidiaPtx:
      return {packed_dot_helper(is_signed) + "(" + operands + ", " + (addend.empty() ? "0" : addend) + ")",
              Precedence::Postfix};
    case OpenClDialect::PackedDot::Khr:
      return {std::string(is_signed ? "dot_4x8packed_ss_int(" : "dot_4x8packed_uu_uint(") + operands + ")",
              Precedence::Postfix};
    case OpenClDialect::PackedDot::Arm: {
      const std::string bytes = is_signed ? "as_char4(" : "as_uchar4(";
      return {"arm_dot(" + bytes + argument(*dot.arguments[0]) + "), " + bytes + argument(*dot.arguments[1]) + "))",
              Precedence::Postfix};
    }
    case OpenClDialect::PackedDot::None: break;
  }
  return {packed_dot_helper(is_signed) + "(" + operands + ")", Precedence::Postfix};
}

}  // namespace driftwood::shader::opencl
