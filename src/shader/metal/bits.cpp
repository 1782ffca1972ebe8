// Bits, packing and the dot products of packed bytes.
#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/metal/printer.h"

namespace driftwood::shader::metal {

Code Printer::bit_builtin(const Expression& expression, const BuiltinCall& node) {
  const std::string type = type_name(expression.type);
  const bool is_signed = scalar_of(expression.type) == Scalar::I32;
  const auto helper = [&](const std::string& base, const std::string& parameters, const std::string& body) {
    const std::string function = base + "_" + type;
    return call(
        prelude_.require(function, "static " + type + " " + function + "(" + type + parameters + ") {\n" + body + "}"),
        node.arguments);
  };
  // Metal leaves open what lies outside of the 32 bits.
  const std::string bounds = "  const uint start = min(offset, 32u);\n  const uint bits = min(count, 32u - start);\n";
  switch (node.builtin) {
    case Builtin::CountLeadingZeros: return call("clz", node.arguments);
    case Builtin::CountTrailingZeros: return call("ctz", node.arguments);
    case Builtin::CountOneBits: return call("popcount", node.arguments);
    case Builtin::ReverseBits: return call("reverse_bits", node.arguments);
    case Builtin::FirstLeadingBit:
      // Of a negative number the highest zero bit counts, so its complement is searched.
      return helper("first_leading_bit", " x",
                    is_signed ? "  return " + type + "(31) - clz(x ^ (x >> " + type + "(31)));\n"
                              : "  return " + type + "(31) - clz(x);\n");
    case Builtin::FirstTrailingBit:
      return helper("first_trailing_bit", " x", "  return select(ctz(x), " + type + "(-1), x == " + type + "(0));\n");
    case Builtin::ExtractBits:
      return helper("extract_bits_of", " x, uint offset, uint count",
                    bounds + "  return bits == 0u ? " + type + "(0) : extract_bits(x, start, bits);\n");
    case Builtin::InsertBits:
      return helper("insert_bits_in", " x, " + type + " inserted, uint offset, uint count",
                    bounds + "  return bits == 0u ? x : insert_bits(x, inserted, start, bits);\n");
    default: throw InternalError("A bit builtin is missing from the Metal emitter.");
  }
}

Code Printer::packing_builtin(const Expression& expression, const BuiltinCall& node) {
  const auto around = [&](std::string_view before, std::string_view after) {
    return Code{std::string(before) + argument(*node.arguments[0]) + std::string(after), Precedence::Postfix};
  };
  switch (node.builtin) {
    case Builtin::Pack2x16Float: return around("as_type<uint>(half2(", "))");
    case Builtin::Unpack2x16Float: return around("float2(as_type<half2>(", "))");
    case Builtin::Pack4x8Snorm:
      return around("as_type<uint>(char4(floor(0.5f + 127.0f * clamp(", ", float4(-1.0f), float4(1.0f)))))");
    case Builtin::Pack4x8Unorm: return around("as_type<uint>(uchar4(floor(0.5f + 255.0f * saturate(", "))))");
    case Builtin::Unpack4x8Snorm: return around("fmax(float4(as_type<char4>(", ")) / 127.0f, float4(-1.0f))");
    case Builtin::Unpack4x8Unorm:
      return {around("float4(as_type<uchar4>(", ")) / 255.0f").text, Precedence::Multiplicative};
    case Builtin::Pack4xI8: return around("as_type<uint>(char4(", "))");
    case Builtin::Pack4xU8: return around("as_type<uint>(uchar4(", "))");
    case Builtin::Pack4xI8Clamp: return around("as_type<uint>(char4(clamp(", ", int4(-128), int4(127))))");
    case Builtin::Pack4xU8Clamp: return around("as_type<uint>(uchar4(min(", ", uint4(255u))))");
    case Builtin::Unpack4xI8: return around("int4(as_type<char4>(", "))");
    case Builtin::Unpack4xU8: return around("uint4(as_type<uchar4>(", "))");
    case Builtin::Dot4I8Packed:
    case Builtin::Dot4U8Packed:
    case Builtin::Dot4U8I8Packed: return dot_accumulate(node, "");
    default:
      throw InternalError("The builtin '" + std::string(to_string(node.builtin)) + "' of type " +
                          to_string(expression.type) + " is missing from the Metal emitter.");
  }
}

Code Printer::dot_accumulate(const BuiltinCall& dot, const std::string&) {
  if (dot.builtin == Builtin::Dot4U8I8Packed) {
    const int width = width_of(dot.arguments[0]->type);
    const std::string n = width > 1 ? std::to_string(width) : "";
    std::string sum;
    for (int k = 0; k < 4; ++k) {
      const std::string low = k == 0 ? "a" : "(a >> " + std::to_string(8 * k) + ")";
      const std::string high = k == 3 ? "b" : "b << " + std::to_string(24 - 8 * k);
      sum += (k == 0 ? "" : " + ") + ("int" + n + "(" + low + " & 255u) * (int" + n + "(" + high + ") >> 24)");
    }
    const std::string function = "dot_4x8_mixed" + (n.empty() ? "" : "_" + n);
    return call(prelude_.require(function, "static int" + n + " " + function + "(uint" + n + " a, uint" + n +
                                               " b) {\n  return " + sum + ";\n}"),
                dot.arguments);
  }
  const bool is_signed = dot.builtin == Builtin::Dot4I8Packed;
  const std::string function = is_signed ? "dot_4x8_signed" : "dot_4x8_unsigned", result = is_signed ? "int" : "uint";
  const std::string bytes = is_signed ? "char4" : "uchar4";
  const auto widened_bytes = [&](const std::string& word) {
    return result + "4(as_type<" + bytes + ">(" + word + "))";
  };
  return call(prelude_.require(function, "static " + result + " " + function + "(uint a, uint b) {\n  const " + result +
                                             "4 p = " + widened_bytes("a") + " * " + widened_bytes("b") +
                                             ";\n  return p.x + p.y + p.z + p.w;\n}"),
              dot.arguments);
}

}  // namespace driftwood::shader::metal
