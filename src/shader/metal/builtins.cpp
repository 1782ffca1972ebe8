// Numeric builtins. Functions that Metal has in a fast and a precise variant are asked for by the precise one.
#include <optional>

#include "shader/ir_build.h"
#include "shader/metal/printer.h"

namespace driftwood::shader::metal {

namespace {

// Functions that do component by component what WGSL asks.
std::optional<std::string_view> same_function(Builtin builtin) {
  switch (builtin) {
    case Builtin::Ceil: return "ceil";
    case Builtin::Cross: return "cross";
    case Builtin::Floor: return "floor";
    case Builtin::Fma: return "fma";
    case Builtin::Ldexp: return "ldexp";
    case Builtin::Normalize: return "normalize";
    case Builtin::Round: return "rint";
    case Builtin::Saturate: return "saturate";
    case Builtin::Smoothstep: return "smoothstep";
    case Builtin::Step: return "step";
    case Builtin::Trunc: return "trunc";
    default: return std::nullopt;
  }
}

// Those of which there is a precise variant for float (halves have one only).
std::optional<std::string_view> precise_function(Builtin builtin) {
  switch (builtin) {
    case Builtin::Acos: return "acos";
    case Builtin::Acosh: return "acosh";
    case Builtin::Asin: return "asin";
    case Builtin::Asinh: return "asinh";
    case Builtin::Atan: return "atan";
    case Builtin::Atanh: return "atanh";
    case Builtin::Atan2: return "atan2";
    case Builtin::Cos: return "cos";
    case Builtin::Cosh: return "cosh";
    case Builtin::Exp: return "exp";
    case Builtin::Exp2: return "exp2";
    case Builtin::InverseSqrt: return "rsqrt";
    case Builtin::Log: return "log";
    case Builtin::Log2: return "log2";
    case Builtin::Pow: return "pow";
    case Builtin::Sin: return "sin";
    case Builtin::Sinh: return "sinh";
    case Builtin::Sqrt: return "sqrt";
    case Builtin::Tan: return "tan";
    case Builtin::Tanh: return "tanh";
    default: return std::nullopt;
  }
}

}  // namespace

Code Printer::numeric_builtin(const Expression& expression, const BuiltinCall& node) {
  const TypePtr& type = expression.type;
  const auto& arguments = node.arguments;
  const bool is_half = scalar_of(type) == Scalar::F16;
  if (const auto same = same_function(node.builtin)) return call(std::string(*same), arguments);
  if (const auto same = precise_function(node.builtin)) {
    return call((is_half ? "" : "precise::") + std::string(*same), arguments);
  }
  const auto scaled = [&](double factor) {
    return binary_code(BinaryOp::Multiply, value(*arguments[0]),
                       scalar_literal(ConstantScalar::of_float(is_half ? Scalar::F16 : Scalar::F32, factor)));
  };
  switch (node.builtin) {
    case Builtin::Abs: {
      if (scalar_of(type) == Scalar::U32) return value(*arguments[0]);
      if (is_float(*scalar_of(type))) return call("fabs", arguments);
      // The least int has no positive twin; as bits, negating it leaves it as it is.
      const std::string text = type_name(type), bits = c_family::unsigned_type_name(type), function = "abs_" + text;
      prelude_.require(function, "static " + text + " " + function + "(" + text + " x) {\n  return " + text +
                                     "(select(" + bits + "(x), -" + bits + "(x), x < " + text + "(0)));\n}");
      return call(function, arguments);
    }
    case Builtin::Sign: {
      if (is_float(*scalar_of(type))) return call("sign", arguments);
      const std::string text = type_name(type);
      return {"clamp(" + argument(*arguments[0]) + ", " + text + "(-1), " + text + "(1))", Precedence::Postfix};
    }
    case Builtin::Degrees: return scaled(57.295779513082322);
    case Builtin::Radians: return scaled(0.017453292519943295);
    case Builtin::Mix: {
      // Metal's own is undefined outside of 0 to 1.
      const std::string text = type_name(type), part = type_name(arguments[2]->type);
      const std::string function = "mix_" + text + (part == text ? "" : "_" + part);
      prelude_.require(function, "static " + text + " " + function + "(" + text + " x, " + text + " y, " + part +
                                     " a) {\n  return x * (" + part + "(1) - a) + y * a;\n}");
      return call(function, arguments);
    }
    case Builtin::QuantizeToF16: {
      const std::string half = type_name(c_family::with_scalar(type, Scalar::F16));
      return {type_name(type) + "(" + half + "(" + argument(*arguments[0]) + "))", Precedence::Postfix};
    }
    case Builtin::Length: return call(width_of(arguments[0]->type) > 1 ? "length" : "fabs", arguments);
    case Builtin::Distance: {
      if (width_of(arguments[0]->type) > 1) return call("distance", arguments);
      return {"fabs(" + binary_code(BinaryOp::Subtract, value(*arguments[0]), value(*arguments[1])).text + ")",
              Precedence::Postfix};
    }
    default: return c_family::Printer::numeric_builtin(expression, node);
  }
}

}  // namespace driftwood::shader::metal
