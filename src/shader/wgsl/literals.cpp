#include <algorithm>
#include <cmath>
#include <limits>

#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

namespace {

bool same_bits(const ConstantScalar& a, const ConstantScalar& b) { return a.scalar == b.scalar && a.i == b.i; }

// "vec4<f32>" as part of a name: "vec4_f32".
std::string as_name(std::string type) {
  std::erase(type, '>');
  std::ranges::replace(type, '<', '_');
  return type;
}

}  // namespace

std::string Printer::hidden(const TypePtr& type, const std::string& text) {
  const std::string printed = type_name(type);
  return require("unknown_" + as_name(printed), "(x: " + printed + ") -> " + printed + " {\n  return x;\n}") + "(" +
         text + ")";
}

Code Printer::scalar_literal(const ConstantScalar& value) {
  switch (value.scalar) {
    case Scalar::Bool: return {value.i != 0 ? "true" : "false"};
    case Scalar::U32: return {std::to_string(static_cast<std::uint32_t>(value.i)) + "u"};
    case Scalar::I32:
    case Scalar::AbstractInt: {
      const auto number = static_cast<std::int32_t>(value.i);
      if (number == std::numeric_limits<std::int32_t>::min()) return {"i32(-2147483648)", Precedence::Postfix};
      return {std::to_string(number) + "i", number < 0 ? Precedence::Unary : Precedence::Primary};
    }
    default: break;
  }
  const auto number = static_cast<float>(value.f);
  const bool is_half = value.scalar == Scalar::F16;
  if (is_half) scalar_name(Scalar::F16);
  if (!std::isfinite(number)) {
    // WGSL has no such constants, so the bits come from where the compiler does not look.
    const TypePtr word = scalar_type(Scalar::U32);
    const bool negative = std::signbit(number);
    if (is_half) {
      const std::string bits = std::isnan(number) ? "32256u" : negative ? "64512u" : "31744u";
      return {"bitcast<vec2<f16>>(" + hidden(word, bits) + ").x", Precedence::Postfix};
    }
    const std::string bits = std::isnan(number) ? "2143289344u" : negative ? "4286578688u" : "2139095040u";
    return {"bitcast<f32>(" + hidden(word, bits) + ")", Precedence::Postfix};
  }
  // The shortest text of the largest number stands for a slightly larger one, which Tint refuses.
  if (std::abs(number) == std::numeric_limits<float>::max()) {
    return {(number < 0 ? "-" : "") + std::string("0x1.fffffep127f"),
            number < 0 ? Precedence::Unary : Precedence::Primary};
  }
  return {shortest_float(number) + (is_half ? "h" : "f"),
          std::signbit(number) ? Precedence::Unary : Precedence::Primary};
}

Code Printer::literal_part(const TypePtr& type, const Literal& value, std::size_t& next) {
  const int width = width_of(type);
  if (width == 1) return scalar_literal(value.components[next++]);
  std::string text = type_name(type) + "(";
  if (width > 1) {
    const std::size_t first = next;
    next += static_cast<std::size_t>(width);
    bool is_splat = true;
    for (std::size_t i = first; i < next; ++i)
      is_splat = is_splat && same_bits(value.components[i], value.components[first]);
    text += scalar_literal(value.components[first]).text;
    for (std::size_t i = first + 1; i < next && !is_splat; ++i) text += ", " + scalar_literal(value.components[i]).text;
  } else if (const auto* array = type->as<ArrayType>()) {
    for (std::uint32_t i = 0; i < *array->count; ++i)
      text += (i > 0 ? ", " : "") + literal_part(array->element, value, next).text;
  } else if (const auto* structure = type->as<StructType>()) {
    for (std::size_t i = 0; i < structure->fields.size(); ++i)
      text += (i > 0 ? ", " : "") + literal_part(structure->fields[i].type, value, next).text;
  }
  return {text + ")", Precedence::Postfix};
}

Code Printer::literal(const TypePtr& type, const Literal& value) {
  std::size_t next = 0;
  if (hides_ && width_of(type) > 0) {
    hides_ = false;
    return {hidden(type, literal_part(type, value, next).text), Precedence::Postfix};
  }
  return literal_part(type, value, next);
}

}  // namespace driftwood::shader::wgsl
