// Numeric builtins that the languages spell alike, and where each kind of builtin is printed.
#include <utility>

#include "base/error.h"
#include "shader/c_family/printer.h"
#include "shader/ir_build.h"

namespace driftwood::shader::c_family {

Code Printer::builtin(const Expression& expression, const BuiltinCall& node) {
  const bool outer = std::exchange(in_address_, false);
  Code code;
  if (node.builtin == Builtin::WeightsWords) {
    in_address_ = outer;
    return weights_words(expression);
  }
  if (node.builtin >= Builtin::TensorLoad) {
    throw InternalError("The builtin '" + std::string(to_string(node.builtin)) + "' reaches the emitter of " +
                        std::string(language()) + "; the virtualiser replaces it before.");
  }
  if (is_matrix_builtin(node.builtin)) {
    code = matrix_builtin(expression, node);
  } else if (is_pipeline_builtin(node.builtin)) {
    code = pipeline_builtin(expression, node);
  } else if (node.builtin >= Builtin::SubgroupAdd) {
    code = subgroup_builtin(expression, node);
  } else if (node.builtin >= Builtin::WorkgroupBarrier) {
    code = synchronization_builtin(expression, node);
  } else if (node.builtin >= Builtin::Pack2x16Float) {
    code = packing_builtin(expression, node);
  } else if (node.builtin >= Builtin::CountLeadingZeros && node.builtin <= Builtin::ReverseBits) {
    code = bit_builtin(expression, node);
  } else {
    code = numeric_builtin(expression, node);
  }
  in_address_ = outer;
  return code;
}

Code Printer::pipeline_builtin(const Expression&, const BuiltinCall& node) {
  throw InternalError("The builtin '" + std::string(to_string(node.builtin)) + "' reaches the emitter of " +
                      std::string(language()) + "; it is lowered before.");
}

Code Printer::numeric_builtin(const Expression& expression, const BuiltinCall& node) {
  const TypePtr& type = expression.type;
  const auto& arguments = node.arguments;
  switch (node.builtin) {
    case Builtin::Min:
    case Builtin::Max: return minimum_maximum(expression, node);
    case Builtin::Clamp: return clamp(expression, node);
    case Builtin::Fract: {
      const std::string type_text = type_name(type), helper = "fraction_" + type_text;
      prelude_.require(helper,
                       "static " + type_text + " " + helper + "(" + type_text + " x) {\n  return x - floor(x);\n}");
      return call(helper, arguments);
    }
    case Builtin::Dot: return dot(expression, node);
    case Builtin::All:
    case Builtin::Any:
      if (width_of(arguments[0]->type) == 1) return value(*arguments[0]);
      return call(node.builtin == Builtin::All ? "all" : "any", arguments);
    case Builtin::Select: return select(expression, node);
    case Builtin::ArrayLength: {
      const Resource* resource = length_resource(node);
      if (resource == nullptr) {
        throw Unsupported(
            "arrayLength takes the address of a storage buffer's array; here it is given a pointer value.");
      }
      return {array_length_name(*resource)};
    }
    default:
      throw InternalError("The builtin '" + std::string(to_string(node.builtin)) + "' has no spelling in " +
                          std::string(language()) + ".");
  }
}

Code Printer::minimum_maximum(const Expression& expression, const BuiltinCall& node) {
  // min and max of floats leave NaN undefined; fmin and fmax give the number.
  const bool floating = is_float(*scalar_of(expression.type));
  const bool is_min = node.builtin == Builtin::Min;
  return call(floating ? (is_min ? "fmin" : "fmax") : (is_min ? "min" : "max"), node.arguments);
}

Code Printer::clamp(const Expression& expression, const BuiltinCall& node) {
  // C's languages leave clamp undefined where low > high; WGSL's integers give min(max(e, low), high).
  const Literal* low = as_literal(*node.arguments[1]);
  const Literal* high = as_literal(*node.arguments[2]);
  bool ordered = low != nullptr && high != nullptr;
  for (std::size_t i = 0; ordered && i < low->components.size(); ++i) {
    const ConstantScalar& from = low->components[i];
    const ConstantScalar& to = high->components[i];
    ordered = is_float(from.scalar) ? from.f <= to.f : from.i <= to.i;
  }
  if (ordered) return call("clamp", node.arguments);
  const bool floating = is_float(*scalar_of(expression.type));
  return {std::string(floating ? "fmin(fmax(" : "min(max(") + argument(*node.arguments[0]) + ", " +
              argument(*node.arguments[1]) + "), " + argument(*node.arguments[2]) + ")",
          Precedence::Postfix};
}

Code Printer::select(const Expression& expression, const BuiltinCall& node) {
  const Expression& if_false = *node.arguments[0];
  const Expression& if_true = *node.arguments[1];
  const Expression& condition = *node.arguments[2];
  if (width_of(condition.type) == 1) {
    const Code test = value(condition);
    const bool is_bitwise = test.precedence >= Precedence::Or && test.precedence <= Precedence::And;
    return {(is_bitwise ? "(" + test.text + ")" : test.at_least(Precedence::LogicalOr)) + " ? " +
                value(if_true).at_least(Precedence::LogicalOr) + " : " +
                value(if_false).at_least(Precedence::LogicalOr),
            Precedence::Conditional};
  }
  return {
      "select(" + argument(if_false) + ", " + argument(if_true) + ", " + select_mask(expression.type, condition) + ")",
      Precedence::Postfix};
}

Code Printer::dot(const Expression& expression, const BuiltinCall& node) {
  if (is_float(*scalar_of(expression.type))) return call("dot", node.arguments);
  const std::string vector = type_name(node.arguments[0]->type);
  const std::string scalar = type_name(expression.type);
  const int width = width_of(node.arguments[0]->type);
  std::string sum = "p.x + p.y";
  if (width > 2) sum += " + p.z";
  if (width > 3) sum += " + p.w";
  const std::string wide = "uint" + std::to_string(width);
  const bool is_signed = scalar_of(expression.type) == Scalar::I32;
  const std::string product = is_signed ? reinterpreter(wide) + "(a) * " + reinterpreter(wide) + "(b)" : "a * b";
  prelude_.require("dot_" + vector, "static " + scalar + " dot_" + vector + "(" + vector + " a, " + vector +
                                        " b) {\n  " + wide + " p = " + product + ";\n  return " + sum + ";\n}");
  return call("dot_" + vector, node.arguments);
}

}  // namespace driftwood::shader::c_family
