// Address spaces, and how resources are declared.
#include "base/error.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

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

std::string_view Printer::space_qualifier(AddressSpace space) const {
  switch (space) {
    case AddressSpace::Workgroup: return "__local ";
    case AddressSpace::Storage: return "__global ";
    case AddressSpace::Uniform: return "__constant ";
    default: return "";
  }
}

Code Printer::vector_value(const std::string& type, const std::string& parts) const {
  return {"(" + type + ")(" + parts + ")", Precedence::Unary};
}

Code Printer::aggregate_value(const std::string& type, const std::string& braces) const {
  return {"(" + type + ")" + braces, Precedence::Unary};
}

std::string Printer::struct_definition(const std::string& name, const std::string& members) const {
  return "typedef struct {\n" + members + "} " + name + ";";
}

std::string Printer::atomic_name(Scalar scalar) const { return scalar == Scalar::I32 ? "int" : "uint"; }

// Two halves to a word, as the instructions take them.
std::string Printer::matrix_name(const MatrixType& matrix) const {
  return matrix.scalar == Scalar::F16 ? "uint4" : "float8";
}

std::string Printer::zero_matrix(const TypePtr& type) { return "(" + type_name(type) + ")(0)"; }

bool Printer::is_memory_half(const TypePtr& type) const {
  return !dialect_.f16_arithmetic && scalar_of(type) == Scalar::F16;
}

bool Printer::holds_half_vectors(const Resource& resource) const {
  TypePtr type = resource.type;
  while (const auto* array = type->as<ArrayType>()) type = array->element;
  const bool is_object = resource.kind == Resource::Kind::Object;
  return lacks_half(type) && width_of(type) > 1 && (!is_object || resource.texel == DataType::F16);
}

std::string Printer::buffer_qualifiers(const Resource& resource) const {
  if (resource.kind == Resource::Kind::Uniform && !is_body_) return "__constant ";
  const bool is_read = resource.access == Access::Read || resource.kind == Resource::Kind::Uniform;
  return is_read ? "__global const " : "__global ";
}

std::string Printer::buffer_pointer(const Resource& resource, const std::string& declared) const {
  const std::string qualifiers = buffer_qualifiers(resource), space = declared.empty() ? "" : " ";
  if (resource.kind == Resource::Kind::Object) {
    return qualifiers + texel_type(resource, dialect_.f16_arithmetic) + "*" + space + declared;
  }
  TypePtr pointee = resource.type;
  const auto* array = pointee->as<ArrayType>();
  if (array != nullptr && !is_wrapped(pointee)) pointee = array->element;
  if (is_memory_half(pointee)) return qualifiers + "half*" + space + declared;
  return pointer_declaration(qualifiers, pointee, declared);
}

std::string Printer::resource_declaration(const Resource& resource) const {
  const std::string declared = name(resource.name);
  if (is_image(resource)) {
    if (resource.access == Access::ReadWrite) {
      throw Unsupported("The object '" + resource.name +
                        "' is an image that one kernel reads and writes; OpenCL C 1.2 allows that for buffers only.");
    }
    const std::string_view qualifier = resource.access == Access::Read ? "__read_only " : "__write_only ";
    return std::string(qualifier) + std::string(image_type(resource.storage)) + " " + declared;
  }
  // NVIDIA's compiler fails ("do not know how to split") where it loads vectors of halves through its read-only cache.
  // In a body others may write the resource before it is awaited.
  const bool is_read = resource.access == Access::Read || resource.kind == Resource::Kind::Uniform;
  const bool is_restricted = is_read && !is_body_ && !holds_half_vectors(resource);
  return buffer_pointer(resource, (is_restricted ? "restrict " : "") + declared);
}

}  // namespace driftwood::shader::opencl
