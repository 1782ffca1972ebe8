#include "base/error.h"
#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

std::string Printer::scalar_name(Scalar scalar) {
  if (scalar == Scalar::F16) {
    if (!dialect_.f16) {
      throw Unsupported(
          "The kernel computes with f16, which the device does not have; compile it for a target without.");
    }
    uses_f16_ = true;
  }
  return std::string(to_string(scalar));
}

bool Printer::is_memory_half(const TypePtr& type) const { return !dialect_.f16 && scalar_of(type) == Scalar::F16; }

std::string Printer::type_name(const TypePtr& type) {
  if (const auto* scalar = type->as<ScalarType>()) return scalar_name(scalar->scalar);
  if (const auto* vector = type->as<VectorType>()) {
    if (vector->width > 4) {
      throw Unsupported("The kernel uses " + to_string(type) + ", a vector for CPUs; WGSL has vectors of up to 4.");
    }
    return "vec" + std::to_string(vector->width) + "<" + scalar_name(vector->scalar) + ">";
  }
  if (const auto* atomic = type->as<AtomicType>()) return "atomic<" + scalar_name(atomic->scalar) + ">";
  if (const auto* structure = type->as<StructType>()) return name(structure->name);
  if (const auto* array = type->as<ArrayType>()) {
    return "array<" + type_name(array->element) + (array->count ? ", " + std::to_string(*array->count) : "") + ">";
  }
  if (const auto* pointer = type->as<PointerType>()) {
    std::string text = "ptr<" + std::string(to_string(pointer->space)) + ", " + type_name(pointer->pointee);
    if (pointer->space == AddressSpace::Storage) text += ", " + std::string(to_string(pointer->access));
    return text + ">";
  }
  if (const auto* matrix = type->as<MatrixType>()) return matrix_type_name(*matrix);
  throw InternalError("The type " + to_string(type) + " has no name in WGSL.");
}

std::string Printer::memory_type_name(const TypePtr& type, const std::string& holder) {
  const auto* array = type->as<ArrayType>();
  if (array == nullptr || dialect_.f16) {
    if (is_memory_half(type)) {
      throw Unsupported("'" + holder + "' is a single " + to_string(type) +
                        "; a device without f16 has halves in arrays only.");
    }
    return type_name(type);
  }
  if (!is_memory_half(array->element)) {
    return "array<" + memory_type_name(array->element, holder) +
           (array->count ? ", " + std::to_string(*array->count) : "") + ">";
  }
  const int width = width_of(array->element);
  std::optional<std::uint32_t> count = array->count;
  if (count && width == 1) {
    // Its stride in an array of arrays would not be one of words.
    if (*count % 2 != 0) {
      throw Unsupported("'" + holder + "' holds " + to_string(type) +
                        ", whose halves fill no whole number of words; a device without f16 needs an even count.");
    }
    count = *count / 2;
  }
  return std::string("array<") + (width > 2 ? "vec2<u32>" : "u32") + (count ? ", " + std::to_string(*count) : "") + ">";
}

// Fields lie where the language's rules put them; what @size and @align moved is said again.
std::string Printer::struct_text(const StructType& structure) {
  std::string text = "struct " + name(structure.name) + " {\n";
  std::uint32_t alignment = 1;
  for (const StructType::Field& field : structure.fields) alignment = std::max(alignment, alignment_of(field.type));
  for (std::size_t i = 0; i < structure.fields.size(); ++i) {
    const StructType::Field& field = structure.fields[i];
    const auto* array = field.type->as<ArrayType>();
    const bool is_runtime_sized = array != nullptr && !array->count;
    const bool is_last = i + 1 == structure.fields.size();
    const std::uint32_t own_end = field.offset + size_of(field.type);
    const auto rounded = [](std::uint32_t offset, std::uint32_t to) { return (offset + to - 1) / to * to; };
    const std::uint32_t end = is_last ? structure.size : structure.fields[i + 1].offset;
    const std::uint32_t natural_end =
        rounded(own_end, is_last ? std::max(structure.alignment, 1U) : alignment_of(structure.fields[i + 1].type));
    std::string attributes;
    if (i == 0 && structure.alignment > alignment) attributes += "@align(" + std::to_string(structure.alignment) + ") ";
    if (natural_end != end && !is_runtime_sized) attributes += "@size(" + std::to_string(end - field.offset) + ") ";
    if (is_memory_half(field.type)) {
      throw Unsupported("The structure '" + structure.name + "' holds f16 in '" + field.name +
                        "'; a device without f16 has halves in arrays only.");
    }
    text += "  " + attributes + name(field.name) + ": " + type_name(field.type) + ",\n";
  }
  return text + "}";
}

}  // namespace driftwood::shader::wgsl
