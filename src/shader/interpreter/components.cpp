#include "shader/interpreter/components.h"

#include <algorithm>

#include "base/checked.h"

namespace driftwood::shader::interpreter {

std::uint64_t component_count(const TypePtr& type) {
  if (const auto* vector = type->as<VectorType>()) return vector->width;
  if (const auto* array = type->as<ArrayType>()) {
    return std::uint64_t{array->count.value_or(1)} * component_count(array->element);
  }
  if (const auto* structure = type->as<StructType>()) {
    std::uint64_t count = 0;
    for (const auto& field : structure->fields) count += component_count(field.type);
    return count;
  }
  if (type->as<MatrixType>()) return matrix_components;
  return type->as<ScalarType>() || type->as<AtomicType>() ? 1 : 0;
}

std::uint32_t component_offset(const StructType& type, std::uint32_t field) {
  std::uint64_t count = 0;
  for (std::uint32_t k = 0; k < field; ++k) count += component_count(type.fields[k].type);
  return static_cast<std::uint32_t>(count);
}

std::uint32_t array_stride(const TypePtr& element) {
  return static_cast<std::uint32_t>(round_up(size_of(element), std::max(alignment_of(element), 1U)));
}

void for_each_run(const TypePtr& type, std::uint32_t offset,
                  const std::function<void(std::uint32_t, Element, std::uint32_t)>& run) {
  if (const auto* array = type->as<ArrayType>()) {
    const std::uint32_t stride = array_stride(array->element);
    for (std::uint32_t k = 0; k < array->count.value_or(1); ++k) for_each_run(array->element, offset + k * stride, run);
  } else if (const auto* structure = type->as<StructType>()) {
    for (const auto& field : structure->fields) for_each_run(field.type, offset + field.offset, run);
  } else {
    const bool half = scalar_of(type) == Scalar::F16;
    run(offset, half ? Element::Half : Element::Word, static_cast<std::uint32_t>(component_count(type)));
  }
}

void for_each_scalar(const TypePtr& type, const std::function<void(Scalar)>& f) {
  if (const auto* array = type->as<ArrayType>()) {
    for (std::uint32_t k = 0; k < array->count.value_or(1); ++k) for_each_scalar(array->element, f);
  } else if (const auto* structure = type->as<StructType>()) {
    for (const auto& field : structure->fields) for_each_scalar(field.type, f);
  } else if (const auto scalar = scalar_of(type)) {
    for (std::uint64_t k = 0; k < component_count(type); ++k) f(*scalar);
  }
}

std::uint64_t min_binding_size(const TypePtr& type) {
  if (const auto* structure = type->as<StructType>()) {
    if (structure->fields.empty()) return structure->size;
    const auto& last = structure->fields.back();
    return std::max<std::uint64_t>(structure->size, last.offset + min_binding_size(last.type));
  }
  if (const auto* array = type->as<ArrayType>()) {
    return std::uint64_t{array->count.value_or(1)} * array_stride(array->element);
  }
  return size_of(type);
}

bool has_single_halves(const TypePtr& type) {
  if (const auto* array = type->as<ArrayType>()) return has_single_halves(array->element);
  if (const auto* structure = type->as<StructType>()) {
    return std::any_of(structure->fields.begin(), structure->fields.end(),
                       [](const auto& field) { return has_single_halves(field.type); });
  }
  const auto* scalar = type->as<ScalarType>();
  return scalar && scalar->scalar == Scalar::F16;
}

}  // namespace driftwood::shader::interpreter
