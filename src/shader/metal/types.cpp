// Address spaces, and how resources are declared.
#include "base/error.h"
#include "shader/ir_walk.h"
#include "shader/metal/printer.h"

namespace driftwood::shader::metal {

namespace {

// The type of a texel in a buffer, as the kernel's argument points to it.
std::string_view texel_type(const Resource& object) {
  switch (object.texel) {
    case DataType::F32: return "float4";
    case DataType::F16: return "half4";
    case DataType::I8: return "char4";
    case DataType::U8: return "uchar4";
    case DataType::I32: return "int4";
    case DataType::U32: return "uint4";
    default:
      throw InternalError("The object '" + object.name + "' has texels of type " +
                          std::string(to_string(object.texel)) + ", which no object can hold.");
  }
}

std::string_view component_type(DataType texel) {
  switch (texel) {
    case DataType::I8:
    case DataType::I32: return "int";
    case DataType::U8:
    case DataType::U32: return "uint";
    default: return "float";
  }
}

std::string_view texture_type(StorageKind kind) {
  switch (kind) {
    case StorageKind::Buffer: break;
    case StorageKind::ImageBuffer: return "texture_buffer";
    case StorageKind::Texture2D: return "texture2d";
    case StorageKind::Texture3D: return "texture3d";
    case StorageKind::Texture2DArray: return "texture2d_array";
  }
  return "";
}

}  // namespace

std::string_view Printer::space_qualifier(AddressSpace space) const {
  switch (space) {
    case AddressSpace::Workgroup: return "threadgroup ";
    case AddressSpace::Storage: return "device ";
    case AddressSpace::Uniform: return "constant ";
    default: return "thread ";
  }
}

Code Printer::vector_value(const std::string& type, const std::string& parts) const {
  return {type + "(" + parts + ")", Precedence::Postfix};
}

Code Printer::aggregate_value(const std::string& type, const std::string& braces) const {
  return {type + braces, Precedence::Postfix};
}

std::string Printer::struct_definition(const std::string& name, const std::string& members) const {
  return "struct " + name + " {\n" + members + "};";
}

// `a & b` of bools is an int, which braces do not narrow.
std::string Printer::in_braces(const Expression& expression) {
  const auto* node = std::get_if<Binary>(&expression.node);
  const bool is_int = node != nullptr && width_of(expression.type) == 1 && scalar_of(expression.type) == Scalar::Bool &&
                      precedence_of(node->op) >= Precedence::Or && precedence_of(node->op) <= Precedence::And;
  return is_int ? "bool(" + argument(expression) + ")" : argument(expression);
}

std::string Printer::atomic_name(Scalar scalar) const { return scalar == Scalar::I32 ? "atomic_int" : "atomic_uint"; }

// C++ leaves shifts by the width and more undefined.
bool Printer::masks_shift(const Expression& amount) const {
  const IntegerRange bounds = range(amount);
  return bounds.low < 0 || bounds.high > 31;
}

std::string Printer::resource_declaration(const Resource& resource) const {
  const std::string declared = name(resource.name);
  if (is_image(resource)) {
    if (resource.access == Access::ReadWrite) {
      throw Unsupported("The object '" + resource.name +
                        "' is an image that one kernel reads and writes; Metal promises that for few formats.");
    }
    return std::string(texture_type(resource.storage)) + "<" + std::string(component_type(resource.texel)) +
           (resource.access == Access::Read ? ", access::read> " : ", access::write> ") + declared;
  }
  const bool is_uniform = resource.kind == Resource::Kind::Uniform;
  std::string qualifiers = is_uniform ? "constant " : "device ";
  if (!is_uniform && resource.access == Access::Read) qualifiers += "const ";
  if (resource.kind == Resource::Kind::Object) {
    return qualifiers + std::string(texel_type(resource)) + "* " + declared;
  }
  TypePtr pointee = resource.type;
  const auto* array = pointee->as<ArrayType>();
  if (array != nullptr && !is_wrapped(pointee)) pointee = array->element;
  return pointer_declaration(qualifiers, pointee, declared);
}

void Printer::require_no_wide_vectors() const {
  const auto check = [](const TypePtr& type) {
    if (type != nullptr && width_of(type) > 4) {
      throw Unsupported("The kernel computes with values of type " + to_string(type) +
                        "; Metal's vectors have at most 4 components.");
    }
  };
  visit_expressions(module_, [&](const Expression& each) { check(each.type); });
  for (const auto& each : module_.functions) {
    visit_statements(each->body, [&](const Statement& statement) {
      if (const auto* declare = std::get_if<Declare>(&statement.node)) {
        TypePtr type = declare->variable->type;
        while (const auto* array = type->as<ArrayType>()) type = array->element;
        check(type);
      }
    });
  }
}

}  // namespace driftwood::shader::metal
