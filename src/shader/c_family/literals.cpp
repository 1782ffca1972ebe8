#include <cmath>
#include <limits>

#include "shader/c_family/printer.h"

namespace driftwood::shader::c_family {

Code Printer::scalar_literal(const ConstantScalar& value) const {
  switch (value.scalar) {
    case Scalar::Bool: return {value.i != 0 ? "true" : "false"};
    case Scalar::U32: return {std::to_string(static_cast<std::uint32_t>(value.i)) + "u"};
    case Scalar::I32:
    case Scalar::AbstractInt: {
      const auto number = static_cast<std::int32_t>(value.i);
      if (number == std::numeric_limits<std::int32_t>::min()) return {least_int()};
      return {std::to_string(number), number < 0 ? Precedence::Unary : Precedence::Primary};
    }
    default: break;
  }
  const auto number = static_cast<float>(value.f);
  const bool is_half = value.scalar == Scalar::F16 && !is_memory_half(scalar_type(Scalar::F16));
  if (std::isnan(number)) return is_half ? Code{"(half)NAN", Precedence::Unary} : Code{"NAN"};
  const Precedence precedence = std::signbit(number) ? Precedence::Unary : Precedence::Primary;
  if (std::isinf(number)) {
    const std::string text = number < 0 ? "-INFINITY" : "INFINITY";
    return is_half ? Code{"(half)" + text, Precedence::Unary} : Code{text, precedence};
  }
  return {shortest_float(number) + (is_half ? "h" : "f"), precedence};
}

namespace {

bool same_bits(const ConstantScalar& a, const ConstantScalar& b) { return a.scalar == b.scalar && a.i == b.i; }

}  // namespace

Code Printer::literal_part(const TypePtr& type, const Literal& value, std::size_t& next) const {
  const int width = width_of(type);
  if (width == 1) return scalar_literal(value.components[next++]);
  if (width == 0) return aggregate_value(type_name(type), literal_braces(type, value, next));
  const std::size_t first = next;
  next += static_cast<std::size_t>(width);
  const bool mask = is_mask(type);
  const auto text_of = [&](std::size_t i) {
    const ConstantScalar& component = value.components[i];
    return mask ? std::string(component.i != 0 ? "-1" : "0") : scalar_literal(component).text;
  };
  bool is_splat = true;
  for (std::size_t i = first; i < next; ++i)
    is_splat = is_splat && same_bits(value.components[i], value.components[first]);
  std::string text = text_of(first);
  if (!is_splat) {
    for (std::size_t i = first + 1; i < next; ++i) text += ", " + text_of(i);
  }
  return vector_value(type_name(type), text);
}

std::string Printer::literal_braces(const TypePtr& type, const Literal& value, std::size_t& next) const {
  std::string text = "{";
  if (const auto* array = type->as<ArrayType>()) {
    if (is_wrapped(type)) text += "{";
    for (std::uint32_t i = 0; i < *array->count; ++i) {
      if (i > 0) text += ", ";
      text += width_of(array->element) > 0 ? literal_part(array->element, value, next).text
                                           : literal_braces(array->element, value, next);
    }
    if (is_wrapped(type)) text += "}";
  } else if (const auto* structure = type->as<StructType>()) {
    for (std::size_t i = 0; i < structure->fields.size(); ++i) {
      if (i > 0) text += ", ";
      const TypePtr& field = structure->fields[i].type;
      text += width_of(field) > 0 ? literal_part(field, value, next).text : literal_braces(field, value, next);
    }
  }
  return text + "}";
}

Code Printer::literal(const TypePtr& type, const Literal& value) const {
  std::size_t next = 0;
  return literal_part(type, value, next);
}

}  // namespace driftwood::shader::c_family
