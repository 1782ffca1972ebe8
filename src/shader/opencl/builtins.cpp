// Numeric builtins. Most have OpenCL's name; those that differ in a corner are spelled out.
#include <optional>
#include <utility>

#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

// Functions that do component by component what WGSL asks, under OpenCL's name.
std::optional<std::string_view> same_function(Builtin builtin) {
  switch (builtin) {
    case Builtin::Acos: return "acos";
    case Builtin::Acosh: return "acosh";
    case Builtin::Asin: return "asin";
    case Builtin::Asinh: return "asinh";
    case Builtin::Atan: return "atan";
    case Builtin::Atanh: return "atanh";
    case Builtin::Atan2: return "atan2";
    case Builtin::Ceil: return "ceil";
    case Builtin::Cos: return "cos";
    case Builtin::Cosh: return "cosh";
    case Builtin::Degrees: return "degrees";
    case Builtin::Exp: return "exp";
    case Builtin::Exp2: return "exp2";
    case Builtin::Floor: return "floor";
    case Builtin::Fma: return "fma";
    case Builtin::InverseSqrt: return "rsqrt";
    case Builtin::Log: return "log";
    case Builtin::Log2: return "log2";
    case Builtin::Mix: return "mix";
    case Builtin::Pow: return "pow";
    case Builtin::Radians: return "radians";
    case Builtin::Round: return "rint";
    case Builtin::Sin: return "sin";
    case Builtin::Sinh: return "sinh";
    case Builtin::Smoothstep: return "smoothstep";
    case Builtin::Sqrt: return "sqrt";
    case Builtin::Step: return "step";
    case Builtin::Tan: return "tan";
    case Builtin::Tanh: return "tanh";
    case Builtin::Trunc: return "trunc";
    case Builtin::Ldexp: return "ldexp";
    case Builtin::Cross: return "cross";
    case Builtin::Distance: return "distance";
    case Builtin::Length: return "length";
    case Builtin::Normalize: return "normalize";
    default: return std::nullopt;
  }
}

}  // namespace

Code Printer::builtin(const Expression& expression, const BuiltinCall& node) {
  for (const ExpressionPtr& each : node.arguments) {
    if (lacks_half(each->type)) return half_builtin(expression, node);
  }
  const bool outer = std::exchange(in_address_, false);
  Code code;
  if (node.builtin >= Builtin::TensorLoad) {
    throw InternalError("The builtin '" + std::string(to_string(node.builtin)) +
                        "' reaches the OpenCL C emitter; the virtualiser replaces it before.");
  }
  if (is_matrix_builtin(node.builtin)) {
    code = matrix_builtin(expression, node);
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

Code Printer::numeric_builtin(const Expression& expression, const BuiltinCall& node) {
  const TypePtr& type = expression.type;
  const std::string type_text = type->as<VoidType>() != nullptr ? "" : type_name(type);
  const auto& arguments = node.arguments;
  if (const auto same = same_function(node.builtin)) return call(std::string(*same), arguments);
  switch (node.builtin) {
    case Builtin::Abs: {
      if (scalar_of(type) == Scalar::U32) return value(*arguments[0]);
      if (is_float(*scalar_of(type))) return call("fabs", arguments);
      const std::string magnitude = "abs(" + argument(*arguments[0]) + ")";  // uint in OpenCL
      if (width_of(type) == 1) return {"(int)" + magnitude, Precedence::Unary};
      return {"as_" + type_text + "(" + magnitude + ")", Precedence::Postfix};
    }
    case Builtin::Min:
    case Builtin::Max: return minimum_maximum(expression, node);
    case Builtin::Clamp: return clamp(expression, node);
    case Builtin::Saturate: {
      const bool half = scalar_of(type) == Scalar::F16 && dialect_.f16_arithmetic;
      return {"clamp(" + argument(*arguments[0]) + (half ? ", 0.0h, 1.0h)" : ", 0.0f, 1.0f)"), Precedence::Postfix};
    }
    case Builtin::Sign:
      if (is_float(*scalar_of(type))) return call("sign", arguments);
      return {"clamp(" + argument(*arguments[0]) + ", -1, 1)", Precedence::Postfix};
    case Builtin::Fract: {
      const std::string helper = "fraction_" + type_text;
      prelude_.require(helper,
                       "static " + type_text + " " + helper + "(" + type_text + " x) {\n  return x - floor(x);\n}");
      return call(helper, arguments);
    }
    case Builtin::QuantizeToF16: return call(quantize_helper(type), arguments);
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
      throw InternalError("The builtin '" + std::string(to_string(node.builtin)) + "' has no spelling in OpenCL C.");
  }
}

std::string Printer::array_length_name(const Resource& resource) const { return name(resource.name) + "_length"; }

Code Printer::minimum_maximum(const Expression& expression, const BuiltinCall& node) {
  // min and max of floats leave NaN undefined in OpenCL C; fmin and fmax give the number.
  const bool floating = is_float(*scalar_of(expression.type));
  const bool is_min = node.builtin == Builtin::Min;
  return call(floating ? (is_min ? "fmin" : "fmax") : (is_min ? "min" : "max"), node.arguments);
}

Code Printer::clamp(const Expression& expression, const BuiltinCall& node) {
  // OpenCL leaves clamp undefined where low > high; WGSL's integers give min(max(e, low), high).
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
  std::string mask = argument(condition);
  if (scalar_of(expression.type) == Scalar::F16 && dialect_.f16_arithmetic) {
    mask = "convert_short" + std::to_string(width_of(expression.type)) + "(" + mask + ")";
  }
  return {"select(" + argument(if_false) + ", " + argument(if_true) + ", " + mask + ")", Precedence::Postfix};
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
  const std::string product = is_signed ? "as_" + wide + "(a) * as_" + wide + "(b)" : "a * b";
  prelude_.require("dot_" + vector, "static " + scalar + " dot_" + vector + "(" + vector + " a, " + vector +
                                        " b) {\n  " + wide + " p = " + product + ";\n  return " + sum + ";\n}");
  return call("dot_" + vector, node.arguments);
}

}  // namespace driftwood::shader::opencl
