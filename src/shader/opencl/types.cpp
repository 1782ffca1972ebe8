#include "base/error.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

std::string_view scalar_name(Scalar scalar) {
  switch (scalar) {
    case Scalar::Bool: return "bool";
    case Scalar::I32:
    case Scalar::AbstractInt: return "int";
    case Scalar::U32: return "uint";
    case Scalar::F32:
    case Scalar::AbstractFloat: return "float";
    case Scalar::F16: return "half";
  }
  return "int";
}

std::string_view space_qualifier(AddressSpace space) {
  switch (space) {
    case AddressSpace::Workgroup: return "__local ";
    case AddressSpace::Storage: return "__global ";
    case AddressSpace::Uniform: return "__constant ";
    default: return "";
  }
}

// The type of a texel in a buffer, as the kernel argument points to it.
std::string texel_type(const Resource& object, bool f16_arithmetic) {
  switch (object.texel) {
    case DataType::F32: return "float4";
    case DataType::F16: {
      const bool as_half4 = f16_arithmetic && scalar_of(object.type) == Scalar::F16;
      return as_half4 ? "half4" : "half";
    }
    case DataType::I8: return "char4";
    case DataType::U8: return "uchar4";
    case DataType::I32: return "int4";
    case DataType::U32: return "uint4";
    default:
      throw InternalError("The object '" + object.name + "' has texels of type " +
                          std::string(to_string(object.texel)) + ", which no object can hold.");
  }
}

std::string_view image_type(StorageKind kind) {
  switch (kind) {
    case StorageKind::Buffer: break;
    case StorageKind::ImageBuffer: return "image1d_buffer_t";
    case StorageKind::Texture2D: return "image2d_t";
    case StorageKind::Texture3D: return "image3d_t";
    case StorageKind::Texture2DArray: return "image2d_array_t";
  }
  return "";
}

}  // namespace

bool Printer::is_wrapped(const TypePtr& type) const {
  const auto* array = type->as<ArrayType>();
  return array != nullptr && array->count && value_arrays_.contains(to_string(type));
}

bool Printer::is_memory_half(const TypePtr& type) const {
  return !dialect_.f16_arithmetic && scalar_of(type) == Scalar::F16;
}

std::string Printer::array_wrapper_name(const TypePtr& type) const {
  const auto* array = type->as<ArrayType>();
  std::string element =
      array->element->as<ArrayType>() != nullptr ? array_wrapper_name(array->element) : type_name(array->element);
  return "array_" + std::to_string(*array->count) + "_" + element;
}

std::string Printer::type_name(const TypePtr& type) const {
  if (type->as<VoidType>() != nullptr) return "void";
  if (const auto* scalar = type->as<ScalarType>()) {
    // Without half arithmetic a half in memory is two bytes, read and written by vload_half and vstore_half.
    return is_memory_half(type) ? "ushort" : std::string(scalar_name(scalar->scalar));
  }
  if (const auto* vector = type->as<VectorType>()) {
    const std::string width = std::to_string(vector->width);
    if (vector->scalar == Scalar::Bool) return "int" + width;
    return (is_memory_half(type) ? "ushort" : std::string(scalar_name(vector->scalar))) + width;
  }
  if (const auto* atomic = type->as<AtomicType>()) return std::string(scalar_name(atomic->scalar));
  if (const auto* structure = type->as<StructType>()) return name(structure->name);
  if (type->as<ArrayType>() != nullptr && is_wrapped(type)) return array_wrapper_name(type);
  // Two halves to a word, as the instructions take them.
  if (const auto* matrix = type->as<MatrixType>()) return matrix->scalar == Scalar::F16 ? "uint4" : "float8";
  if (type->as<PointerType>() != nullptr) return declaration(type, "");
  throw InternalError("The type " + to_string(type) + " has no name in OpenCL C.");
}

std::string Printer::declaration(const TypePtr& type, const std::string& declared) const {
  if (const auto* pointer = type->as<PointerType>()) {
    std::string qualifiers(space_qualifier(pointer->space));
    if (pointer->access == Access::Read && pointer->space != AddressSpace::Uniform) qualifiers += "const ";
    if (is_memory_half(pointer->pointee)) return qualifiers + "half*" + (declared.empty() ? "" : " ") + declared;
    return pointer_declaration(qualifiers, pointer->pointee, declared);
  }
  std::string suffix;
  TypePtr element = type;
  while (element->as<ArrayType>() != nullptr && !is_wrapped(element)) {
    const auto* array = element->as<ArrayType>();
    suffix += "[" + std::to_string(array->count.value_or(1)) + "]";
    element = array->element;
  }
  std::string text = type_name(element);
  if (!declared.empty()) text += " " + declared;
  return text + suffix;
}

std::string Printer::pointer_declaration(std::string_view qualifiers, const TypePtr& pointee,
                                         const std::string& declared) const {
  const bool to_plain_array = pointee->as<ArrayType>() != nullptr && !is_wrapped(pointee);
  if (to_plain_array) return std::string(qualifiers) + declaration(pointee, "(*" + declared + ")");
  return std::string(qualifiers) + type_name(pointee) + "*" + (declared.empty() ? "" : " ") + declared;
}

bool Printer::holds_half_vectors(const Resource& resource) const {
  TypePtr type = resource.type;
  while (const auto* array = type->as<ArrayType>()) type = array->element;
  const bool is_object = resource.kind == Resource::Kind::Object;
  return lacks_half(type) && width_of(type) > 1 && (!is_object || resource.texel == DataType::F16);
}

std::string Printer::resource_declaration(const Resource& resource) const {
  const std::string declared = name(resource.name);
  if (resource.kind == Resource::Kind::Object && resource.storage != StorageKind::Buffer) {
    if (resource.access == Access::ReadWrite) {
      throw Unsupported("The object '" + resource.name +
                        "' is an image that one kernel reads and writes; OpenCL C 1.2 allows that for buffers only.");
    }
    const std::string_view qualifier = resource.access == Access::Read ? "__read_only " : "__write_only ";
    return std::string(qualifier) + std::string(image_type(resource.storage)) + " " + declared;
  }
  std::string qualifiers = resource.kind == Resource::Kind::Uniform ? "__constant " : "__global ";
  std::string restricted;
  if (resource.access == Access::Read || resource.kind == Resource::Kind::Uniform) {
    if (resource.kind != Resource::Kind::Uniform) qualifiers += "const ";
    // NVIDIA's compiler fails ("do not know how to split") where it loads vectors of halves through its read-only
    // cache.
    restricted = holds_half_vectors(resource) ? "" : "restrict ";
  }
  if (resource.kind == Resource::Kind::Object) {
    return qualifiers + texel_type(resource, dialect_.f16_arithmetic) + "* " + restricted + declared;
  }
  TypePtr pointee = resource.type;
  const auto* array = pointee->as<ArrayType>();
  if (array != nullptr && !is_wrapped(pointee)) pointee = array->element;
  if (is_memory_half(pointee)) return qualifiers + "half* " + restricted + declared;
  const bool to_plain_array = pointee->as<ArrayType>() != nullptr && !is_wrapped(pointee);
  if (to_plain_array) return pointer_declaration(qualifiers, pointee, restricted + declared);
  return qualifiers + type_name(pointee) + "* " + restricted + declared;
}

std::string Printer::captured_declaration(const Variable& variable) const {
  const std::string_view qualifier = space_qualifier(variable.space);
  const auto* array = variable.type->as<ArrayType>();
  const bool decays = array != nullptr && !is_wrapped(variable.type);
  return pointer_declaration(qualifier, decays ? array->element : variable.type, name(variable.name));
}

std::string Printer::struct_text(const StructType& structure) const {
  std::string text = "typedef struct {\n";
  std::uint32_t offset = 0;
  int paddings = 0;
  const auto pad_to = [&](std::uint32_t wanted) {
    if (wanted <= offset) return;
    text += "  uint padding_" + std::to_string(paddings++) + "[" + std::to_string((wanted - offset) / 4) + "];\n";
    offset = wanted;
  };
  for (std::size_t i = 0; i < structure.fields.size(); ++i) {
    const StructType::Field& field = structure.fields[i];
    const auto* vector = field.type->as<VectorType>();
    const bool is_vec3 = vector != nullptr && vector->width == 3;
    const std::uint32_t end = i + 1 < structure.fields.size() ? structure.fields[i + 1].offset : structure.size;
    const std::uint32_t taken = is_vec3 ? size_of(field.type) / 3 * 4 : size_of(field.type);
    if (is_vec3 && end < field.offset + taken) {
      throw Unsupported("The structure '" + structure.name + "' places a field right behind the three components of '" +
                        field.name + "'; OpenCL's vectors of three take the room of four. Use a vec4.");
    }
    const std::uint32_t alignment = alignment_of(field.type);
    const std::uint32_t natural = (offset + alignment - 1) / alignment * alignment;
    if (natural != field.offset) pad_to(field.offset);
    text += "  " + declaration(field.type, name(field.name)) + ";\n";
    offset = field.offset + taken;
  }
  const std::uint32_t natural_size =
      structure.alignment == 0 ? offset
                               : (offset + structure.alignment - 1) / structure.alignment * structure.alignment;
  if (natural_size < structure.size) pad_to(structure.size);
  return text + "} " + name(structure.name) + ";";
}

std::string Printer::wrapper_text(const TypePtr& type) const {
  const auto* array = type->as<ArrayType>();
  return "typedef struct {\n  " + declaration(array->element, "at[" + std::to_string(*array->count) + "]") + ";\n} " +
         array_wrapper_name(type) + ";";
}

}  // namespace driftwood::shader::opencl
