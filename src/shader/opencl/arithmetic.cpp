// Comparisons, remainders and conversions as OpenCL C does them.
#include "shader/ir_build.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

// NVIDIA's compiler makes one instruction of a bitwise and with an or, but two where both constants are part of it.
Code Printer::binary(const Expression& expression, const Binary& node) {
  const auto* masked = node.op == BinaryOp::Or ? std::get_if<Binary>(&node.left->node) : nullptr;
  const bool is_word = width_of(expression.type) == 1 && scalar_of(expression.type) == Scalar::U32;
  if (masked == nullptr || masked->op != BinaryOp::And || !is_word ||
      dialect_.subgroups != OpenClDialect::Subgroups::NvidiaPtx) {
    return c_family::Printer::binary(expression, node);
  }
  if (!integer_value(*node.right) || !integer_value(*masked->right)) {
    return c_family::Printer::binary(expression, node);
  }
  const std::string helper = prelude_.require(
      "and_or",
      "static uint and_or(uint v, uint mask, uint bits) {\n  uint r;\n"
      "  asm(\"lop3.b32 %0, %1, %2, %3, 0xea;\" : \"=r\"(r) : \"r\"(v), \"r\"(mask), \"r\"(bits));\n  return r;\n}");
  return {helper + "(" + argument(*masked->left) + ", " + argument(*masked->right) + ", " + argument(*node.right) + ")",
          Precedence::Postfix};
}

Code Printer::compare(const Expression& expression, const Binary& node) {
  Code code = c_family::Printer::compare(expression, node);
  // Comparing halves gives masks of 16 bits.
  if (width_of(expression.type) > 1 && scalar_of(node.left->type) == Scalar::F16) {
    return {"convert_" + type_name(expression.type) + "(" + code.text + ")", Precedence::Postfix};
  }
  return code;
}

Code Printer::float_remainder(const Expression& expression, const Binary& node) {
  if (!lacks_half(expression.type)) return c_family::Printer::float_remainder(expression, node);
  const TypePtr single = c_family::with_scalar(expression.type, Scalar::F32);
  const auto as_float = [&](const Expression& each) {
    return build::convert(c_family::with_scalar(each.type, Scalar::F32), clone(each));
  };
  const ExpressionPtr in_float =
      build::expression(single, Binary{node.op, as_float(*node.left), as_float(*node.right)});
  return convert_code(value(*in_float), single, expression.type);
}

Code Printer::convert_code(const Code& code, const TypePtr& from_type, const TypePtr& to_type) {
  const Scalar from = *scalar_of(from_type);
  const Scalar to = *scalar_of(to_type);
  const int width = width_of(to_type);
  if (from == to || (is_memory_half(to_type) && from == Scalar::F32)) return code;
  if (lacks_half(from_type) || lacks_half(to_type)) return half_conversion(code, from_type, to_type);
  const std::string to_name = type_name(to_type);
  const auto called = [&](const std::string& function) {
    return Code{function + "(" + code.text + ")", Precedence::Postfix};
  };
  if (to == Scalar::Bool) {
    const std::string zero = from == Scalar::F32   ? "0.0f"
                             : from == Scalar::F16 ? "0.0h"
                             : from == Scalar::U32 ? "0u"
                                                   : "0";
    const Code test = binary_code(BinaryOp::NotEqual, code, {zero});
    return from == Scalar::F16 && width > 1 ? Code{"convert_" + to_name + "(" + test.text + ")", Precedence::Postfix}
                                            : test;
  }
  if (from == Scalar::Bool && width > 1) {
    const Code bit = binary_code(BinaryOp::And, code, {"1"});
    return to == Scalar::I32 ? bit : Code{"convert_" + to_name + "(" + bit.text + ")", Precedence::Postfix};
  }
  if (is_float(from) && is_integer(to)) return called("convert_" + to_name + "_sat_rtz");
  if (width == 1) return {"(" + to_name + ")" + code.at_least(Precedence::Unary), Precedence::Unary};
  if (is_integer(from) && is_integer(to)) return called("as_" + to_name);
  return called("convert_" + to_name);
}

Code Printer::bitcast_value(const Expression& expression, const Bitcast& node) {
  const bool to_word = scalar_of(expression.type) == Scalar::U32 && width_of(expression.type) == 1;
  if (to_word && dialect_.f16_ptx && lacks_half(node.operand->type)) {
    if (auto words = packed_halves(*node.operand)) return std::move(*words);
  }
  return c_family::Printer::bitcast_value(expression, node);
}

Code Printer::bitcast(const Code& code, const TypePtr& from, const TypePtr& to) {
  if (same_type(from, to)) return code;
  if (lacks_half(from) || lacks_half(to)) return half_bitcast(code, from, to);
  return {"as_" + type_name(to) + "(" + code.text + ")", Precedence::Postfix};
}

}  // namespace driftwood::shader::opencl
