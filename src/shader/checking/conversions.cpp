#include "shader/checking/conversions.h"

#include <algorithm>

namespace driftwood::shader::checking {

namespace {

template <class Predicate>
bool any_part(const TypePtr& type, const Predicate& predicate) {
  if (predicate(*type)) return true;
  if (const auto* array = type->as<ArrayType>()) return any_part(array->element, predicate);
  if (const auto* pointer = type->as<PointerType>()) return any_part(pointer->pointee, predicate);
  if (const auto* structure = type->as<StructType>()) {
    return std::any_of(structure->fields.begin(), structure->fields.end(),
                       [&](const StructType::Field& field) { return any_part(field.type, predicate); });
  }
  return false;
}

std::optional<Scalar> own_scalar(const Type& type) {
  if (const auto* scalar = type.as<ScalarType>()) return scalar->scalar;
  if (const auto* vector = type.as<VectorType>()) return vector->scalar;
  if (const auto* tensor = type.as<TensorType>()) return tensor->value;
  return std::nullopt;
}

constexpr std::uint64_t saturation = std::uint64_t{1} << 40;

}  // namespace

std::optional<Scalar> unify(Scalar a, Scalar b) {
  if (a == b) return a;
  if (a == Scalar::Bool || b == Scalar::Bool) return std::nullopt;
  if (a == Scalar::AbstractInt) return b;
  if (b == Scalar::AbstractInt) return a;
  if (a == Scalar::AbstractFloat && is_float(b)) return b;
  if (b == Scalar::AbstractFloat && is_float(a)) return a;
  return std::nullopt;
}

TypePtr unify(const TypePtr& a, const TypePtr& b) {
  if (same_type(a, b)) return a;
  if (a->kind.index() != b->kind.index()) return nullptr;
  if (const auto* left = a->as<ArrayType>()) {
    const auto* right = b->as<ArrayType>();
    if (left->count != right->count) return nullptr;
    const TypePtr element = unify(left->element, right->element);
    return element ? array_type(element, left->count) : nullptr;
  }
  const int width = width_of(a);
  if (width == 0 || width != width_of(b)) return nullptr;
  const auto scalar = unify(*scalar_of(a), *scalar_of(b));
  return scalar ? numeric_type(*scalar, width) : nullptr;
}

bool converts(const TypePtr& from, const TypePtr& to) {
  if (same_type(from, to)) return true;
  const TypePtr common = unify(from, to);
  return common && same_type(common, to);
}

Scalar concrete(Scalar scalar) {
  if (scalar == Scalar::AbstractInt) return Scalar::I32;
  if (scalar == Scalar::AbstractFloat) return Scalar::F32;
  return scalar;
}

TypePtr concrete(const TypePtr& type) {
  if (!is_abstract(type)) return type;
  if (const auto* array = type->as<ArrayType>()) return array_type(concrete(array->element), array->count);
  return with_scalar(type, concrete(*scalar_of(type)));
}

bool is_abstract(const TypePtr& type) {
  if (const auto* array = type->as<ArrayType>()) return is_abstract(array->element);
  const auto scalar = scalar_of(type);
  return scalar && shader::is_abstract(*scalar);
}

TypePtr with_scalar(const TypePtr& type, Scalar scalar) { return numeric_type(scalar, width_of(type)); }

TypePtr numeric_type(Scalar scalar, int width) { return width == 1 ? scalar_type(scalar) : vector_type(scalar, width); }

bool is_constructible(const TypePtr& type) {
  return !any_part(type, [](const Type& part) {
    if (const auto* array = part.as<ArrayType>()) return !array->count.has_value();
    return !part.as<ScalarType>() && !part.as<VectorType>() && !part.as<StructType>() && !part.as<MatrixType>();
  });
}

bool is_host_shareable(const TypePtr& type) {
  return !any_part(type, [](const Type& part) {
    if (part.as<ArrayType>() || part.as<StructType>() || part.as<AtomicType>()) return false;
    const auto scalar = own_scalar(part);
    // Wide vectors are for registers: no layout of memory has them.
    const bool is_plain = part.as<ScalarType>() || (part.as<VectorType>() && part.as<VectorType>()->width <= 4);
    return !is_plain || *scalar == Scalar::Bool;
  });
}

std::uint64_t component_count(const TypePtr& type) {
  if (const int width = width_of(type)) return static_cast<std::uint64_t>(width);
  if (const auto* array = type->as<ArrayType>()) {
    return std::min(saturation, component_count(array->element) * array->count.value_or(0));
  }
  std::uint64_t count = 0;
  if (const auto* structure = type->as<StructType>()) {
    for (const auto& field : structure->fields) count = std::min(saturation, count + component_count(field.type));
  }
  return count;
}

Scalar component_scalar(const TypePtr& type, std::uint64_t position) {
  if (width_of(type) > 0) return *scalar_of(type);
  if (const auto* array = type->as<ArrayType>()) {
    return component_scalar(array->element, position % component_count(array->element));
  }
  for (const auto& field : type->as<StructType>()->fields) {
    const std::uint64_t count = component_count(field.type);
    if (position < count) return component_scalar(field.type, position);
    position -= count;
  }
  return Scalar::I32;
}

std::uint64_t component_offset(const StructType& type, std::uint32_t field) {
  std::uint64_t offset = 0;
  for (std::uint32_t i = 0; i < field; ++i) offset += component_count(type.fields[i].type);
  return offset;
}

int nesting_depth(const TypePtr& type) {
  if (const auto* array = type->as<ArrayType>()) return 1 + nesting_depth(array->element);
  if (const auto* pointer = type->as<PointerType>()) return nesting_depth(pointer->pointee);
  int deepest = 0;
  if (const auto* structure = type->as<StructType>()) {
    for (const auto& field : structure->fields) deepest = std::max(deepest, nesting_depth(field.type));
    ++deepest;
  }
  return deepest;
}

std::uint64_t part_count(const TypePtr& type) {
  if (const auto* array = type->as<ArrayType>()) return 1 + part_count(array->element);
  std::uint64_t count = 1;
  if (const auto* structure = type->as<StructType>()) {
    for (const auto& field : structure->fields) count += part_count(field.type);
  }
  return count;
}

bool holds_f16(const TypePtr& type) {
  return any_part(type, [](const Type& part) { return own_scalar(part) == Scalar::F16; });
}

bool holds_matrix(const TypePtr& type) {
  return any_part(type, [](const Type& part) { return part.as<MatrixType>() != nullptr; });
}

bool holds_atomic(const TypePtr& type) {
  return any_part(type, [](const Type& part) { return part.as<AtomicType>() != nullptr; });
}

}  // namespace driftwood::shader::checking
