#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

namespace {

bool is_packing(Builtin builtin) { return builtin >= Builtin::Pack4xI8 && builtin <= Builtin::Dot4U8I8Packed; }

bool is_subgroup(Builtin builtin) { return builtin >= Builtin::SubgroupAdd && builtin <= Builtin::SubgroupElect; }

// Whether some component of a is not less than (or greater than) that of b; false where one is unknown.
template <class Compare>
bool any_component(const Expression& a, const Expression& b, const Compare& compare) {
  const Literal* left = as_literal(a);
  const Literal* right = as_literal(b);
  if (left == nullptr || right == nullptr) return false;
  for (std::size_t i = 0; i < left->components.size() && i < right->components.size(); ++i) {
    const ConstantScalar &x = left->components[i], &y = right->components[i];
    if (is_float(x.scalar) ? compare(x.f, y.f) : compare(static_cast<double>(x.i), static_cast<double>(y.i)))
      return true;
  }
  return false;
}

}  // namespace

// Constants that a compiler of WGSL refuses beside arguments that it does not know.
bool Printer::is_refused(const BuiltinCall& node, std::size_t argument) const {
  const auto& list = node.arguments;
  const auto exceeds = [&](std::size_t i, std::int64_t limit) {
    const auto known = integer_value(*list[i]);
    return known && *known > limit;
  };
  const auto sum_exceeds = [&](std::size_t i) {
    const auto offset = integer_value(*list[i]), count = integer_value(*list[i + 1]);
    return offset && count && *offset + *count > 32;
  };
  switch (node.builtin) {
    case Builtin::Clamp:
      return argument == 1 && any_component(*list[1], *list[2], [](double low, double high) { return !(low <= high); });
    case Builtin::Smoothstep:
      return argument == 0 && any_component(*list[0], *list[1], [](double low, double high) { return !(low < high); });
    case Builtin::ExtractBits: return argument == 1 && sum_exceeds(1);
    case Builtin::InsertBits: return argument == 2 && sum_exceeds(2);
    case Builtin::Ldexp: return argument == 1 && as_literal(*list[1]) != nullptr;
    case Builtin::SubgroupShuffle:
    case Builtin::SubgroupShuffleXor:
    case Builtin::SubgroupShuffleUp:
    case Builtin::SubgroupShuffleDown: return argument == 1 && exceeds(1, 127);
    default: return false;
  }
}

Code Printer::builtin(const Expression& expression, const BuiltinCall& node) {
  if (node.builtin == Builtin::IssueLoads) return {};
  if (node.builtin == Builtin::WeightsWords) return value(*build::words_one_by_one(expression));
  if (is_matrix_builtin(node.builtin)) return matrix_builtin(expression, node);
  if (is_packing(node.builtin)) return packing(expression, node);
  if (node.builtin == Builtin::Sin || node.builtin == Builtin::Cos || node.builtin == Builtin::Tan)
    return angle_builtin(expression, node);
  if (is_subgroup(node.builtin)) {
    if (!dialect_.subgroups) {
      throw Unsupported("The kernel calls '" + std::string(to_string(node.builtin)) +
                        "', and the device has no subgroups; compile it for a target without.");
    }
    uses_subgroups_ = true;
    // naga does not know it: the invocation that none of those which are here goes before.
    if (is_naga() && node.builtin == Builtin::SubgroupElect) {
      return {"(subgroupExclusiveAdd(1u) == 0u)", Precedence::Postfix};
    }
  }
  if (node.builtin == Builtin::ArrayLength) {
    const auto* pointee = node.arguments[0]->type->as<PointerType>();
    const auto* array = pointee != nullptr ? pointee->pointee->as<ArrayType>() : nullptr;
    if (array != nullptr && width_of(array->element) == 1 && is_memory_half(array->element)) {
      throw Unsupported(
          "The kernel asks for the length of an array of f16; a device without f16 has words there, and "
          "does not know whether the last is full.");
    }
  }
  if (node.builtin == Builtin::QuantizeToF16 && scalar_of(expression.type) == Scalar::F32) {
    // Drivers differ in the function; packing and unpacking is what all do well.
    const int width = width_of(expression.type);
    const std::string type = type_name(expression.type);
    const std::string body = width == 1   ? "unpack2x16float(pack2x16float(vec2<f32>(v, 0.0f))).x"
                             : width == 2 ? "unpack2x16float(pack2x16float(v))"
                             : width == 3 ? unpack_four() + "(" + pack_four() + "(vec4<f32>(v, 0.0f))).xyz"
                                          : unpack_four() + "(" + pack_four() + "(v))";
    return call(
        require("quantized_" + std::to_string(width), "(v: " + type + ") -> " + type + " {\n  return " + body + ";\n}"),
        node.arguments);
  }
  if (node.builtin == Builtin::Tanh) {
    // A driver may divide two powers of e that are infinite. At 10 the result has long rounded to 1.
    const bool is_half = scalar_of(expression.type) == Scalar::F16;
    const std::string type = type_name(expression.type), bound = is_half ? "10.0h" : "10.0f";
    return {
        "tanh(clamp(" + argument(*node.arguments[0]) + ", " + type + "(-" + bound + "), " + type + "(" + bound + ")))",
        Precedence::Postfix};
  }
  if (node.arguments.size() == 1) return call(std::string(to_string(node.builtin)), node.arguments);
  std::string text;
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    text += (i > 0 ? ", " : "") + argument(*node.arguments[i], is_refused(node, i));
  }
  return {std::string(to_string(node.builtin)) + "(" + text + ")", Precedence::Postfix};
}

// ---- four bytes to a word

std::string Printer::unpack_bytes(bool is_signed) {
  if (dialect_.packed_dot) {
    uses_packed_dot_ = true;
    return is_signed ? "unpack4xI8" : "unpack4xU8";
  }
  if (is_signed) {
    return require("unpack_signed_bytes",
                   "(bits: u32) -> vec4<i32> {\n"
                   "  return vec4<i32>(vec4<u32>(bits) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u);\n}");
  }
  return require("unpack_unsigned_bytes",
                 "(bits: u32) -> vec4<u32> {\n"
                 "  return (vec4<u32>(bits) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u);\n}");
}

std::string Printer::pack_bytes(bool is_signed, bool clamps) {
  if (dialect_.packed_dot) {
    uses_packed_dot_ = true;
    return std::string(is_signed ? "pack4xI8" : "pack4xU8") + (clamps ? "Clamp" : "");
  }
  const std::string vector = is_signed ? "vec4<i32>" : "vec4<u32>";
  const std::string plain =
      require(is_signed ? "pack_signed_bytes" : "pack_unsigned_bytes",
              "(v: " + vector + ") -> u32 {\n  let b = (" + (is_signed ? "vec4<u32>(v)" : "v") +
                  " & vec4<u32>(255u)) << vec4<u32>(0u, 8u, 16u, 24u);\n  return b.x | b.y | b.z | b.w;\n}");
  if (!clamps) return plain;
  const std::string bounds = is_signed ? "vec4<i32>(-128i), vec4<i32>(127i)" : "vec4<u32>(0u), vec4<u32>(255u)";
  return require(is_signed ? "pack_clamped_signed_bytes" : "pack_clamped_unsigned_bytes",
                 "(v: " + vector + ") -> u32 {\n  return " + plain + "(clamp(v, " + bounds + "));\n}");
}

Code Printer::packing(const Expression&, const BuiltinCall& node) {
  switch (node.builtin) {
    case Builtin::Pack4xI8: return call(pack_bytes(true, false), node.arguments);
    case Builtin::Pack4xU8: return call(pack_bytes(false, false), node.arguments);
    case Builtin::Pack4xI8Clamp: return call(pack_bytes(true, true), node.arguments);
    case Builtin::Pack4xU8Clamp: return call(pack_bytes(false, true), node.arguments);
    case Builtin::Unpack4xI8: return call(unpack_bytes(true), node.arguments);
    case Builtin::Unpack4xU8: return call(unpack_bytes(false), node.arguments);
    default: return packed_dot(node);
  }
}

Code Printer::packed_dot(const BuiltinCall& node) {
  const bool is_mixed = node.builtin == Builtin::Dot4U8I8Packed;
  const bool is_signed = node.builtin == Builtin::Dot4I8Packed;
  const TypePtr& type = node.arguments[0]->type;
  if (!is_mixed && dialect_.packed_dot) {
    uses_packed_dot_ = true;
    return call(std::string(to_string(node.builtin)), node.arguments);
  }
  if (!is_mixed) {
    const std::string unpack = unpack_bytes(is_signed);
    return call(require(is_signed ? "dot_signed_bytes" : "dot_unsigned_bytes",
                        std::string("(a: u32, b: u32) -> ") + (is_signed ? "i32" : "u32") + " {\n  return dot(" +
                            unpack + "(a), " + unpack + "(b));\n}"),
                node.arguments);
  }
  // An unsigned byte is 128 more than the signed one with the upper bit turned.
  std::string body;
  if (dialect_.packed_dot) {
    uses_packed_dot_ = true;
    body = "dot4I8Packed(a ^ 2155905152u, b) + 128i * dot4I8Packed(16843009u, b)";
  } else {
    body = "dot(vec4<i32>(" + unpack_bytes(false) + "(a)), " + unpack_bytes(true) + "(b))";
  }
  const std::string single = require("dot_mixed_bytes", "(a: u32, b: u32) -> i32 {\n  return " + body + ";\n}");
  const int width = width_of(type);
  if (width == 1) return call(single, node.arguments);
  const std::string vector = type_name(type);
  std::string parts;
  for (int i = 0; i < width; ++i) {
    const char letter = "xyzw"[i & 3];
    parts += std::string(i > 0 ? ", " : "") + single + "(a." + letter + ", b." + letter + ")";
  }
  const std::string result = "vec" + std::to_string(width) + "<i32>";
  return call(
      require("dot_mixed_bytes_" + std::to_string(width),
              "(a: " + vector + ", b: " + vector + ") -> " + result + " {\n  return " + result + "(" + parts + ");\n}"),
      node.arguments);
}

}  // namespace driftwood::shader::wgsl
