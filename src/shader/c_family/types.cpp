#include <functional>

#include "base/error.h"
#include "shader/c_family/printer.h"
#include "shader/ir_walk.h"

namespace driftwood::shader::c_family {

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

}  // namespace

std::string Printer::name(const std::string& wanted) const {
  std::string result = wanted;
  if (!is_taken_name(result)) return result;
  do {
    result += '_';
  } while (module_names_.contains(result));
  return result;
}

TypePtr with_scalar(const TypePtr& type, Scalar scalar) {
  const int width = width_of(type);
  return width > 1 ? vector_type(scalar, width) : scalar_type(scalar);
}

std::string unsigned_type_name(const TypePtr& type) {
  const int width = width_of(type);
  return width > 1 ? "uint" + std::to_string(width) : "uint";
}

bool Printer::is_image(const Resource& resource) {
  return resource.kind == Resource::Kind::Object && resource.storage != StorageKind::Buffer;
}

bool Printer::is_wrapped(const TypePtr& type) const {
  const auto* array = type->as<ArrayType>();
  return array != nullptr && array->count && value_arrays_.contains(to_string(type));
}

bool Printer::is_mask(const TypePtr& type) const {
  return has_masks() && width_of(type) > 1 && scalar_of(type) == Scalar::Bool;
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
    if (is_mask(type)) return "int" + width;
    return (is_memory_half(type) ? "ushort" : std::string(scalar_name(vector->scalar))) + width;
  }
  if (const auto* atomic = type->as<AtomicType>()) return atomic_name(atomic->scalar);
  if (const auto* structure = type->as<StructType>()) return name(structure->name);
  if (type->as<ArrayType>() != nullptr && is_wrapped(type)) return array_wrapper_name(type);
  if (const auto* matrix = type->as<MatrixType>()) return matrix_name(*matrix);
  if (type->as<PointerType>() != nullptr) return declaration(type, "");
  throw InternalError("The type " + to_string(type) + " has no name in " + std::string(language()) + ".");
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

std::string Printer::captured_declaration(const Variable& variable) const {
  const std::string_view qualifier = space_qualifier(variable.space);
  const auto* array = variable.type->as<ArrayType>();
  const bool decays = array != nullptr && !is_wrapped(variable.type);
  return pointer_declaration(qualifier, decays ? array->element : variable.type, name(variable.name));
}

std::string Printer::struct_text(const StructType& structure) const {
  std::string text;
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
                        field.name + "'; the vectors of three of " + std::string(language()) +
                        " take the room of four. Use a vec4.");
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
  return struct_definition(name(structure.name), text);
}

std::string Printer::wrapper_text(const TypePtr& type) const {
  const auto* array = type->as<ArrayType>();
  return struct_definition(array_wrapper_name(type),
                           "  " + declaration(array->element, "at[" + std::to_string(*array->count) + "]") + ";\n");
}

// Structures and wrappers of arrays, each after those it holds.
std::vector<std::string> Printer::type_declarations() const {
  std::vector<std::string> declarations;
  std::set<std::string> seen;
  const std::function<void(const TypePtr&)> add = [&](const TypePtr& type) {
    if (const auto* array = type->as<ArrayType>()) {
      add(array->element);
      if (is_wrapped(type) && seen.insert(to_string(type)).second) declarations.push_back(wrapper_text(type));
    } else if (const auto* pointer = type->as<PointerType>()) {
      add(pointer->pointee);
    } else if (const auto* structure = type->as<StructType>()) {
      if (!seen.insert(structure->name).second) return;
      for (const StructType::Field& field : structure->fields) add(field.type);
      declarations.push_back(struct_text(*structure));
    }
  };
  for (const auto& each : module_.resources) {
    if (each->type) add(each->type);
  }
  for (const auto& each : module_.variables) add(each->type);
  for (const auto& each : module_.functions) {
    add(each->result);
    for (const auto& parameter : each->parameters) add(parameter->type);
    visit_statements(each->body, [&](const Statement& statement) {
      if (const auto* declare = std::get_if<Declare>(&statement.node)) add(declare->variable->type);
    });
    visit_expressions(each->body, [&](const Expression& expression) { add(expression.type); });
  }
  return declarations;
}

std::string Printer::half_load(const Expression& reference) {
  throw InternalError("A half of type " + to_string(reference.type) + " is not loaded by a function in " +
                      std::string(language()) + ".");
}

std::string Printer::half_store(const Expression& target, const Expression&) { return half_load(target); }

}  // namespace driftwood::shader::c_family
