// Half arithmetic where the compiler has the operators alone, as NVIDIA's: conversions are written component by
// component and builtins go through float, whose results round to the same halves but for the functions that are
// inexact anyway.
#include "shader/ir_build.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

using c_family::with_scalar;

bool Printer::lacks_half(const TypePtr& type) const {
  return dialect_.f16_arithmetic && !dialect_.f16_functions && scalar_of(type) == Scalar::F16;
}

// Rounds floats to the nearest halves, through memory: every driver has these functions, whatever else of half it
// lacks.
std::string Printer::quantize_helper(const TypePtr& type) {
  const std::string type_text = type_name(type);
  const std::string helper = "quantize_to_f16_" + type_text;
  const std::string half = "half" + (width_of(type) > 1 ? std::to_string(width_of(type)) : std::string());
  prelude_.require(helper, "static " + type_text + " " + helper + "(" + type_text +
                               " x) {\n  ushort bits[4];\n  vstore_" + half +
                               "_rte(x, 0, (half*)bits);\n  return vload_" + half + "(0, (const half*)bits);\n}");
  return helper;
}

Code Printer::half_conversion(const Code& code, const TypePtr& from, const TypePtr& to) {
  const bool to_half = scalar_of(to) == Scalar::F16;
  const Scalar other = *scalar_of(to_half ? from : to);
  const TypePtr single = with_scalar(to, Scalar::F32);
  if (other == Scalar::Bool && !to_half) {
    const Code test = binary_code(BinaryOp::NotEqual, code, {"0.0h"});
    return width_of(to) > 1 ? Code{"convert_" + type_name(to) + "(" + test.text + ")", Precedence::Postfix} : test;
  }
  if (other != Scalar::F32) {
    return convert_code(convert_code(code, from, single), single, to);
  }
  const std::string scalar = to_half ? "half" : "float";
  if (width_of(to) == 1) return {"(" + scalar + ")" + code.at_least(Precedence::Unary), Precedence::Unary};
  const std::string from_name = type_name(from), to_name = type_name(to);
  const std::string helper = to_name + "_from_" + from_name;
  std::string parts;
  for (int i = 0; i < width_of(to); ++i) {
    const std::string component =
        width_of(to) > 4 ? std::string("s") + "0123456789abcdef"[i] : std::string(1, "xyzw"[i]);
    parts += (i > 0 ? ", (" : "(") + scalar + ")v." + component;
  }
  prelude_.require(helper, "static " + to_name + " " + helper + "(" + from_name + " v) {\n  return (" + to_name + ")(" +
                               parts + ");\n}");
  return {helper + "(" + code.text + ")", Precedence::Postfix};
}

// NVIDIA's compiler has no as_half2(), and reading a half2 as a word fails in its code generator ("unsupported
// operation"). The other way a union serves; this way float: the 16 bits of every half but a NaN's payload stay.
Code Printer::half_bitcast(const Code& code, const TypePtr& from, const TypePtr& to) {
  const bool to_half = scalar_of(to) == Scalar::F16;
  const int words = width_of(to_half ? from : to);
  const TypePtr pair = vector_type(Scalar::F16, 2), single_pair = vector_type(Scalar::F32, 2);
  const TypePtr word = words > 1 ? vector_type(Scalar::U32, words) : scalar_type(Scalar::U32);
  const std::string from_name = type_name(from), to_name = type_name(to);
  const std::string helper = to_name + "_bits_of_" + from_name;
  const auto unpacked = [&](const std::string& component) {
    constexpr const char* pair_of = "half2_of_word";
    prelude_.require(pair_of, std::string("static half2 ") + pair_of +
                                  "(uint v) {\n  union { uint word; half2 pair; } both;\n  both.word = v;\n  return "
                                  "both.pair;\n}");
    return std::string(pair_of) + "(" + bitcast({"v"}, from, word).text + component + ")";
  };
  const auto packed = [&](const std::string& halves) {
    return pack_helper() + "(" + half_conversion({"v" + halves}, pair, single_pair).text + ")";
  };
  std::string body;
  if (to_half) {
    body = words == 1 ? unpacked("") : "(" + to_name + ")(" + unpacked(".x") + ", " + unpacked(".y") + ")";
  } else {
    const std::string whole =
        words == 1 ? packed("") : "(" + type_name(word) + ")(" + packed(".xy") + ", " + packed(".zw") + ")";
    body = bitcast({whole}, word, to).text;
  }
  prelude_.require(helper, "static " + to_name + " " + helper + "(" + from_name + " v) {\n  return " + body + ";\n}");
  return {helper + "(" + code.text + ")", Precedence::Postfix};
}

Code Printer::half_builtin(const Expression& expression, const BuiltinCall& node) {
  std::vector<ExpressionPtr> arguments;
  for (const ExpressionPtr& each : node.arguments) {
    ExpressionPtr argument = clone(*each);
    if (scalar_of(argument->type) == Scalar::F16) {
      TypePtr single = with_scalar(argument->type, Scalar::F32);
      argument = build::convert(std::move(single), std::move(argument));
    }
    arguments.push_back(std::move(argument));
  }
  if (scalar_of(expression.type) != Scalar::F16) {
    return value(*build::call(node.builtin, expression.type, std::move(arguments)));
  }
  const TypePtr single = with_scalar(expression.type, Scalar::F32);
  return convert_code(value(*build::call(node.builtin, single, std::move(arguments))), single, expression.type);
}

}  // namespace driftwood::shader::opencl
