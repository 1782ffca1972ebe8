// Numeric builtins. Most have OpenCL's name; those that differ in a corner are spelled out.
#include <optional>

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
  return c_family::Printer::builtin(expression, node);
}

Code Printer::numeric_builtin(const Expression& expression, const BuiltinCall& node) {
  const TypePtr& type = expression.type;
  const auto& arguments = node.arguments;
  // NVIDIA's exp2 makes results below 2^-126 right, in three more instructions; its native one gives zeroes there.
  if (node.builtin == Builtin::Exp2 && dialect_.pipeline && module_.uses_pipeline && scalar_of(type) == Scalar::F32) {
    return call("native_exp2", arguments);
  }
  if (const auto same = same_function(node.builtin)) return call(std::string(*same), arguments);
  switch (node.builtin) {
    case Builtin::Abs: {
      if (scalar_of(type) == Scalar::U32) return value(*arguments[0]);
      if (is_float(*scalar_of(type))) return call("fabs", arguments);
      const std::string magnitude = "abs(" + argument(*arguments[0]) + ")";  // uint in OpenCL
      if (width_of(type) == 1) return {"(int)" + magnitude, Precedence::Unary};
      return {"as_" + type_name(type) + "(" + magnitude + ")", Precedence::Postfix};
    }
    case Builtin::Saturate: {
      const bool half = scalar_of(type) == Scalar::F16 && dialect_.f16_arithmetic;
      return {"clamp(" + argument(*arguments[0]) + (half ? ", 0.0h, 1.0h)" : ", 0.0f, 1.0f)"), Precedence::Postfix};
    }
    case Builtin::Sign:
      if (is_float(*scalar_of(type))) return call("sign", arguments);
      return {"clamp(" + argument(*arguments[0]) + ", -1, 1)", Precedence::Postfix};
    case Builtin::QuantizeToF16: return call(quantize_helper(type), arguments);
    default: return c_family::Printer::numeric_builtin(expression, node);
  }
}

std::string Printer::select_mask(const TypePtr& type, const Expression& condition) {
  const bool halves = scalar_of(type) == Scalar::F16 && dialect_.f16_arithmetic;
  return halves ? "convert_short" + std::to_string(width_of(type)) + "(" + argument(condition) + ")"
                : argument(condition);
}

}  // namespace driftwood::shader::opencl
