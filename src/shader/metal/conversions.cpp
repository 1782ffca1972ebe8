// Conversions: constructors, but where C++ leaves the result open.
#include "shader/metal/printer.h"

namespace driftwood::shader::metal {

std::string Printer::saturating_conversion(const TypePtr& from, const TypePtr& to) {
  const std::string source = type_name(from), target = type_name(to), function = "saturated_" + target;
  const bool is_signed = scalar_of(to) == Scalar::I32;
  // The largest floats that are integers of the type; what lies above them is out of range.
  const std::string low = source + (is_signed ? "(-2147483648.0f)" : "(0.0f)");
  const std::string high = source + (is_signed ? "(2147483520.0f)" : "(4294967040.0f)");
  const std::string above = source + (is_signed ? "(2147483648.0f)" : "(4294967296.0f)");
  std::string bounded = "fmin(fmax(x, " + low + "), " + high + ")";
  if (is_signed) bounded = "select(" + bounded + ", " + source + "(0.0f), x != x)";
  return prelude_.require(function, "static " + target + " " + function + "(" + source + " x) {\n  return select(" +
                                        target + "(" + bounded + "), " + target +
                                        (is_signed ? "(2147483647)" : "(4294967295u)") + ", x >= " + above + ");\n}");
}

Code Printer::convert_code(const Code& code, const TypePtr& from_type, const TypePtr& to_type) {
  const Scalar from = *scalar_of(from_type), to = *scalar_of(to_type);
  if (from == to) return code;
  const std::string target = type_name(to_type);
  if (is_float(from) && is_integer(to)) {
    const TypePtr single = c_family::with_scalar(from_type, Scalar::F32);
    const Code source = convert_code(code, from_type, single);
    return {saturating_conversion(single, to_type) + "(" + source.text + ")", Precedence::Postfix};
  }
  if (from == Scalar::Bool && width_of(to_type) > 1) {
    return {"select(" + target + "(0), " + target + "(1), " + code.text + ")", Precedence::Postfix};
  }
  return {target + "(" + code.text + ")", Precedence::Postfix};
}

Code Printer::bitcast(const Code& code, const TypePtr& from, const TypePtr& to) {
  if (same_type(from, to)) return code;
  return {reinterpreter(type_name(to)) + "(" + code.text + ")", Precedence::Postfix};
}

}  // namespace driftwood::shader::metal
