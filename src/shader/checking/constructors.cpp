// Type constructors: conversions, vectors, arrays, structures, zero values, bitcast.
#include <bit>

#include "base/half.h"
#include "shader/checking/checker_state.h"
#include "shader/checking/constants.h"
#include "shader/checking/conversions.h"
#include "shader/ir_build.h"

namespace driftwood::shader::checking {

namespace {

// Larger zero values stay constructors without arguments; larger known values are refused.
constexpr std::uint64_t max_zero_literal = 4096;
constexpr std::uint64_t max_components = 65536;

bool all_known(const std::vector<ExpressionPtr>& arguments) {
  for (const ExpressionPtr& argument : arguments) {
    if (!as_literal(*argument)) return false;
  }
  return true;
}

std::vector<std::uint8_t> bytes_of(const Literal& known) {
  std::vector<std::uint8_t> bytes;
  for (const ConstantScalar& component : known.components) {
    const bool is_half = component.scalar == Scalar::F16;
    const std::uint32_t bits = is_half ? float_to_half(static_cast<float>(component.f))
                                       : static_cast<std::uint32_t>(bitcast_scalar(component, Scalar::U32).value.i);
    for (unsigned i = 0; i < (is_half ? 2U : 4U); ++i) bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
  }
  return bytes;
}

}  // namespace

std::vector<ExpressionPtr> Checker::values(const std::vector<syntax::ExpressionPtr>& sources) {
  std::vector<ExpressionPtr> result;
  result.reserve(sources.size());
  for (const auto& source : sources) result.push_back(value(*source));
  return result;
}

ExpressionPtr Checker::zero_value(const TypePtr& type, SourceRange range) {
  const std::uint64_t count = component_count(type);
  if (count > max_zero_literal || holds_matrix(type)) return build::expression(type, Construct{}, range);
  std::vector<ConstantScalar> zeroes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Scalar scalar = component_scalar(type, i);
    zeroes.push_back(is_float(scalar) ? ConstantScalar::of_float(scalar, 0) : ConstantScalar::of_int(scalar, 0));
  }
  return literal(type, std::move(zeroes), range);
}

/// Arguments already have their types; known ones make a literal.
ExpressionPtr Checker::make_construct(const TypePtr& type, std::vector<ExpressionPtr> arguments, SourceRange range) {
  if (!all_known(arguments)) return build::expression(type, Construct{std::move(arguments)}, range);
  std::vector<ConstantScalar> components;
  for (const ExpressionPtr& argument : arguments) {
    const auto& own = as_literal(*argument)->components;
    if (components.size() + own.size() > max_components) {
      fail(range, "A known value has more than " + std::to_string(max_components) + " components.");
    }
    components.insert(components.end(), own.begin(), own.end());
  }
  const std::uint64_t count = component_count(type);
  if (components.size() == 1 && count > 1) components.assign(count, components[0]);
  return literal(type, std::move(components), range);
}

ExpressionPtr Checker::construct(const TypePtr& type, const syntax::Call& call, SourceRange range) {
  if (!is_constructible(type)) fail(range, "A value of type " + to_string(type) + " cannot be made.");
  std::vector<ExpressionPtr> arguments = values(call.arguments);
  if (arguments.empty()) return zero_value(type, range);
  if (type->as<ScalarType>()) {
    if (arguments.size() != 1) fail(range, quoted(to_string(type)) + " takes one argument.");
    return construct_scalar(type, std::move(arguments[0]), range);
  }
  if (type->as<VectorType>()) return construct_vector(type, std::move(arguments), range);
  if (type->as<MatrixType>()) {
    fail(range, to_string(type) + " takes no values; it is made of zeroes, or loaded by 'subgroupMatrixLoad'.");
  }
  std::vector<TypePtr> parts;
  if (const auto* array = type->as<ArrayType>()) {
    if (arguments.size() != *array->count) {
      fail(range, to_string(type) + " takes " + std::to_string(*array->count) + " values, but " +
                      std::to_string(arguments.size()) + " are given.");
    }
    parts.assign(arguments.size(), array->element);
  } else {
    for (const auto& field : type->as<StructType>()->fields) parts.push_back(field.type);
  }
  return construct_whole(type, parts, std::move(arguments), range);
}

ExpressionPtr Checker::construct_whole(const TypePtr& type, const std::vector<TypePtr>& parts,
                                       std::vector<ExpressionPtr> arguments, SourceRange range) {
  if (arguments.size() != parts.size()) {
    fail(range, quoted(to_string(type)) + " takes " + std::to_string(parts.size()) + " values, but " +
                    std::to_string(arguments.size()) + " are given.");
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    arguments[i] =
        convert(std::move(arguments[i]), parts[i], "value " + std::to_string(i + 1) + " of " + to_string(type));
  }
  return make_construct(type, std::move(arguments), range);
}

/// Conversion of a scalar, or of a vector to the same width.
ExpressionPtr Checker::construct_scalar(const TypePtr& type, ExpressionPtr argument, SourceRange range) {
  if (width_of(argument->type) != width_of(type) || argument->type->as<AtomicType>()) {
    fail(range, "A value of type " + to_string(argument->type) + " cannot be converted to " + to_string(type) + ".");
  }
  if (const Literal* known = as_literal(*argument)) {
    std::vector<ConstantScalar> components;
    for (const ConstantScalar& component : known->components) {
      const Folded folded = convert_explicitly(component, *scalar_of(type));
      if (!folded.ok()) return impossible_value(folded.error, type, range);
      components.push_back(folded.value);
    }
    return literal(type, std::move(components), range);
  }
  if (same_type(argument->type, type)) {
    argument->range = range;
    return argument;
  }
  return build::expression(type, Convert{std::move(argument)}, range);
}

ExpressionPtr Checker::construct_vector(const TypePtr& type, std::vector<ExpressionPtr> arguments, SourceRange range) {
  const VectorType vector = *type->as<VectorType>();
  if (arguments.size() == 1 && width_of(arguments[0]->type) == vector.width) {
    return construct_scalar(type, std::move(arguments[0]), range);
  }
  int width = 0;
  for (ExpressionPtr& argument : arguments) {
    const int own = argument->type->as<AtomicType>() ? 0 : width_of(argument->type);
    if (own == 0) fail(argument->range, "A value of type " + to_string(argument->type) + " is no part of a vector.");
    width += own;
    const TypePtr part = numeric_type(vector.scalar, own);
    argument = convert(std::move(argument), part, "a part of " + to_string(type));
  }
  const bool is_splat = arguments.size() == 1 && width == 1;
  if (!is_splat && width != vector.width) {
    fail(range, to_string(type) + " takes " + std::to_string(vector.width) + " components, but " +
                    std::to_string(width) + " are given.");
  }
  return make_construct(type, std::move(arguments), range);
}

/// `vec3(a, b, c)`: the type of the components follows from the arguments.
ExpressionPtr Checker::infer_vector(int width, std::vector<ExpressionPtr> arguments, SourceRange range) {
  std::optional<Scalar> common = arguments.empty() ? std::optional(Scalar::AbstractInt) : std::nullopt;
  for (const ExpressionPtr& argument : arguments) {
    const auto own = width_of(argument->type) > 0 ? scalar_of(argument->type) : std::nullopt;
    const auto unified = common && own ? unify(*common, *own) : own;
    if (!unified) {
      fail(argument->range, "The parts of a vector have different types; here is " + to_string(argument->type) + ".");
    }
    common = unified;
  }
  const TypePtr type = vector_type(*common, width);
  if (arguments.empty()) return zero_value(type, range);
  return construct_vector(type, std::move(arguments), range);
}

/// `array(a, b, c)`.
ExpressionPtr Checker::infer_array(std::vector<ExpressionPtr> arguments, SourceRange range) {
  if (arguments.empty()) fail(range, "'array()' needs values, or a type as in 'array<f32, 4>()'.");
  TypePtr element = arguments[0]->type;
  for (const ExpressionPtr& argument : arguments) {
    const TypePtr common = unify(element, argument->type);
    if (!common) {
      fail(argument->range, "The elements of an array have one type; here is " + to_string(argument->type) + " after " +
                                to_string(element) + ".");
    }
    element = common;
  }
  if (!is_constructible(element)) fail(range, "An array cannot hold elements of type " + to_string(element) + ".");
  const TypePtr type = checked_size(array_type(element, static_cast<std::uint32_t>(arguments.size())), range);
  const std::vector<TypePtr> parts(arguments.size(), element);
  return construct_whole(type, parts, std::move(arguments), range);
}

ExpressionPtr Checker::bitcast(const syntax::Name& callee, const syntax::Call& call, SourceRange range) {
  if (callee.arguments.size() != 1 || call.arguments.size() != 1) {
    fail(range, "'bitcast' is written 'bitcast<T>(value)'.");
  }
  const TypePtr type = this->type(*callee.arguments[0]);
  ExpressionPtr operand = concrete_value(*call.arguments[0]);
  const auto is_bits = [](const TypePtr& t) {
    return width_of(t) > 0 && !t->as<AtomicType>() && scalar_of(t) != Scalar::Bool;
  };
  if (!is_bits(type) || !is_bits(operand->type) || size_of(type) != size_of(operand->type)) {
    fail(range, "The bits of " + to_string(operand->type) + " cannot be taken as " + to_string(type) +
                    "; both must be numbers of the same size.");
  }
  if (same_type(type, operand->type)) return operand;
  const Literal* known = as_literal(*operand);
  if (!known) return build::expression(type, Bitcast{std::move(operand)}, range);
  const std::vector<std::uint8_t> bytes = bytes_of(*known);
  std::vector<ConstantScalar> components;
  const Scalar scalar = *scalar_of(type);
  const std::size_t size = scalar == Scalar::F16 ? 2 : 4;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < size; ++i) bits |= std::uint32_t{bytes[at + i]} << (8 * i);
    const Folded folded = scalar == Scalar::F16 ? rounded(half_to_float(static_cast<std::uint16_t>(bits)), scalar)
                                                : bitcast_scalar(ConstantScalar::of_int(Scalar::U32, bits), scalar);
    if (!folded.ok()) return impossible_value(folded.error, type, range);
    components.push_back(folded.value);
  }
  return literal(type, std::move(components), range);
}

}  // namespace driftwood::shader::checking
