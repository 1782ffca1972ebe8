// Types as they are written: predeclared names with template arguments, aliases and structures.
#include <array>
#include <limits>
#include <unordered_map>

#include "shader/checking/checker_state.h"
#include "shader/checking/conversions.h"

namespace driftwood::shader::checking {

namespace {

// WGSL's limit for nested arrays and structures, and ours for structures that hold many others.
constexpr int max_nesting = 15;
constexpr std::uint64_t max_parts = 4096;

const std::unordered_map<std::string_view, Scalar>& scalar_names() {
  static const std::unordered_map<std::string_view, Scalar> names = {
      {"bool", Scalar::Bool}, {"i32", Scalar::I32}, {"u32", Scalar::U32}, {"f32", Scalar::F32}, {"f16", Scalar::F16}};
  return names;
}

/// "vec3f" and its like; null for other names.
TypePtr vector_shorthand(std::string_view name) {
  if (name.empty()) return nullptr;
  const int width = vector_width(name.substr(0, name.size() - 1));
  if (width == 0) return nullptr;
  switch (name.back()) {
    case 'f': return vector_type(Scalar::F32, width);
    case 'h': return vector_type(Scalar::F16, width);
    case 'i': return vector_type(Scalar::I32, width);
    case 'u': return vector_type(Scalar::U32, width);
    default: return nullptr;
  }
}

std::optional<MatrixRole> matrix_role(std::string_view name) {
  for (const MatrixRole role : {MatrixRole::Left, MatrixRole::Right, MatrixRole::Result}) {
    if (to_string(role) == name) return role;
  }
  return std::nullopt;
}

bool is_foreign_type(std::string_view name) {
  const bool is_matrix =
      name.size() >= 6 && name.starts_with("mat") && name[3] >= '2' && name[3] <= '4' && name[4] == 'x';
  return is_matrix || name == "sampler" || name == "sampler_comparison" || name.starts_with("texture_");
}

}  // namespace

int vector_width(std::string_view name) {
  if (name == "vec2") return 2;
  if (name == "vec3") return 3;
  if (name == "vec4") return 4;
  if (name == "vec8") return 8;
  if (name == "vec16") return 16;
  return 0;
}

bool is_predeclared_type(std::string_view name) {
  return scalar_names().contains(name) || vector_shorthand(name) || vector_width(name) > 0 || name == "array" ||
         name == "atomic" || name == "ptr" || name == "tensor" || name == "weights" || matrix_role(name);
}

TypePtr Checker::type(const syntax::Expression& source) {
  const Depth depth(*this, source.range, 4);
  const auto* name = std::get_if<syntax::Name>(&source.node);
  if (!name) fail(source.range, "Expected a type here.");
  return type_of_name(*name, source.range);
}

TypePtr Checker::type_of_name(const syntax::Name& name, SourceRange range) {
  const Entity entity = look_up(name.text, range);
  if (std::holds_alternative<std::monostate>(entity)) return predeclared_type(name, range);
  const auto* type = std::get_if<TypePtr>(&entity);
  if (!type) fail(range, quoted(name.text) + " is not a type.");
  if (!name.arguments.empty()) fail(range, quoted(name.text) + " takes no template arguments.");
  return *type;
}

TypePtr Checker::predeclared_type(const syntax::Name& name, SourceRange range) {
  const std::string_view text = name.text;
  const auto scalar = scalar_names().find(text);
  const TypePtr shorthand = scalar != scalar_names().end() ? scalar_type(scalar->second) : vector_shorthand(text);
  if (shorthand) {
    if (!name.arguments.empty()) fail(range, quoted(text) + " takes no template arguments.");
    return shorthand;
  }
  if (const int width = vector_width(text)) return vector_type(scalar_argument(name, range), width);
  if (text == "array") return array_of(name, range);
  if (text == "ptr") return pointer_of(name, range);
  if (text == "atomic") {
    const Scalar value = scalar_argument(name, range);
    if (!is_integer(value)) fail(range, "An atomic holds i32 or u32, not " + std::string(to_string(value)) + ".");
    return atomic_type(value);
  }
  if (text == "tensor") {
    const Scalar value = scalar_argument(name, range);
    if (value == Scalar::Bool) fail(range, "A tensor cannot hold bool.");
    return std::make_shared<const Type>(Type{TensorType{value}});
  }
  if (text == "weights") return weights_of(name, range);
  if (matrix_role(text)) return matrix_of(name, range);
  if (is_foreign_type(text)) fail(range, "The type " + quoted(text) + " is not part of the kernel language.");
  if (builtin_from_name(text)) fail(range, quoted(text) + " is a built-in function, not a type.");
  fail(range, "The type " + quoted(text) + " is not declared.");
}

Scalar Checker::scalar_argument(const syntax::Name& name, SourceRange range) {
  if (name.arguments.size() != 1) {
    fail(range, quoted(name.text) + " takes one template argument, the type of its " +
                    (vector_width(name.text) != 0 ? "components." : "values."));
  }
  const TypePtr argument = type(*name.arguments[0]);
  const auto* scalar = argument->as<ScalarType>();
  if (!scalar) fail(name.arguments[0]->range, "Expected a scalar type, but found " + to_string(argument) + ".");
  return scalar->scalar;
}

TypePtr Checker::weights_of(const syntax::Name& name, SourceRange range) {
  if (name.arguments.size() != 1) fail(range, "'weights' takes one template argument, the type that they decode to.");
  const TypePtr value = type(*name.arguments[0]);
  const int width = width_of(value);
  const bool fits = (width == 1 || width == 16) && !value->as<AtomicType>() && is_float(*scalar_of(value)) &&
                    (width == 1 || scalar_of(value) == Scalar::F32);
  if (!fits) {
    fail(name.arguments[0]->range,
         "Weights decode to f32, f16 or (sixteen rows at once) vec16<f32>, not to " + to_string(value) + ".");
  }
  return std::make_shared<const Type>(Type{WeightsType{*scalar_of(value), static_cast<std::uint8_t>(width)}});
}

TypePtr Checker::matrix_of(const syntax::Name& name, SourceRange range) {
  if (name.arguments.size() != 3) {
    fail(range, quoted(name.text) + " takes three template arguments: the type of its components, columns and rows.");
  }
  const TypePtr matrix = matrix_type(*matrix_role(name.text));
  const TypePtr wanted = scalar_type(matrix->as<MatrixType>()->scalar);
  const TypePtr component = type(*name.arguments[0]);
  if (!same_type(component, wanted)) {
    fail(name.arguments[0]->range,
         "The components of a " + name.text + " are " + to_string(wanted) + ", not " + to_string(component) + ".");
  }
  for (std::size_t i = 1; i < 3; ++i) {
    const std::int64_t extent = constant_integer(*name.arguments[i], "the extent of a matrix");
    if (extent == matrix_extent) continue;
    fail(name.arguments[i]->range, "A matrix of a subgroup has " + std::to_string(matrix_extent) +
                                       " columns and rows; here it is " + std::to_string(extent) + ".");
  }
  return matrix;
}

TypePtr Checker::array_of(const syntax::Name& name, SourceRange range) {
  if (name.arguments.empty() || name.arguments.size() > 2) {
    fail(range, "'array' takes an element type and, if its size is fixed, a count.");
  }
  const TypePtr element = type(*name.arguments[0]);
  const bool is_sized = is_constructible(element) || element->as<AtomicType>() ||
                        (holds_atomic(element) && !element->as<PointerType>() && size_of(element) > 0);
  if (!is_sized) fail(name.arguments[0]->range, "An array cannot hold elements of type " + to_string(element) + ".");
  std::optional<std::uint32_t> count;
  if (name.arguments.size() == 2) {
    const std::int64_t number = constant_integer(*name.arguments[1], "the count of an array");
    if (number < 1 || number > std::numeric_limits<std::int32_t>::max()) {
      fail(name.arguments[1]->range,
           "The count of an array must be at least 1 and at most 2147483647; it is " + std::to_string(number) + ".");
    }
    count = static_cast<std::uint32_t>(number);
  }
  return checked_size(array_type(element, count), range);
}

TypePtr Checker::checked_size(TypePtr type, SourceRange range) {
  if (nesting_depth(type) > max_nesting) {
    fail(range, "The type nests more than " + std::to_string(max_nesting) + " arrays and structures.");
  }
  if (part_count(type) > max_parts) {
    fail(range, "The type has more than " + std::to_string(max_parts) + " parts.");
  }
  if (size_of(type) > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max())) {
    fail(range, "The type is larger than 2147483647 bytes.");
  }
  return type;
}

std::optional<Access> Checker::access_of(const syntax::Expression& qualifier) {
  const auto* name = std::get_if<syntax::Name>(&qualifier.node);
  if (!name) return std::nullopt;
  if (name->text == "read") return Access::Read;
  if (name->text == "write") return Access::Write;
  if (name->text == "read_write") return Access::ReadWrite;
  return std::nullopt;
}

TypePtr Checker::pointer_of(const syntax::Name& name, SourceRange range) {
  if (name.arguments.size() < 2 || name.arguments.size() > 3) {
    fail(range, "'ptr' takes an address space, a type and, for storage, an access mode.");
  }
  static const std::unordered_map<std::string_view, AddressSpace> spaces = {{"function", AddressSpace::Function},
                                                                            {"private", AddressSpace::Private},
                                                                            {"workgroup", AddressSpace::Workgroup},
                                                                            {"storage", AddressSpace::Storage},
                                                                            {"uniform", AddressSpace::Uniform}};
  const auto* word = std::get_if<syntax::Name>(&name.arguments[0]->node);
  const auto space = word ? spaces.find(word->text) : spaces.end();
  if (space == spaces.end()) {
    fail(name.arguments[0]->range, "Expected an address space: function, private, workgroup, storage or uniform.");
  }
  const TypePtr pointee = type(*name.arguments[1]);
  if (pointee->as<PointerType>() || pointee->as<TensorType>() || pointee->as<WeightsType>()) {
    fail(name.arguments[1]->range, "A pointer cannot point to " + to_string(pointee) + ".");
  }
  Access access = space->second == AddressSpace::Storage || space->second == AddressSpace::Uniform ? Access::Read
                                                                                                   : Access::ReadWrite;
  if (name.arguments.size() == 3) {
    const auto given = access_of(*name.arguments[2]);
    if (!given || *given == Access::Write) fail(name.arguments[2]->range, "Expected 'read' or 'read_write'.");
    if (space->second != AddressSpace::Storage) {
      fail(name.arguments[2]->range, "Only pointers into storage take an access mode.");
    }
    access = *given;
  }
  return pointer_type(space->second, pointee, access);
}

Entity Checker::look_up(const std::string& name, SourceRange range) {
  for (std::size_t i = context_.locals.size(); i-- > 0;) {
    const Local& local = context_.locals[i];
    if (local.name != name) continue;
    for (const Enclosing& enclosing : context_.enclosing) {
      if (enclosing.kind == Enclosing::Kind::Continuing && i >= enclosing.first_local && i < enclosing.body_end &&
          local.serial >= enclosing.serial_at_continue) {
        fail(range, quoted(name) + " is not set where a 'continue' above came before its declaration.",
             {{local.range, "It is declared here, after the 'continue'."}});
      }
    }
    return local.entity;
  }
  if (!context_.file) return std::monostate();
  const Symbol symbol = program_.find(*context_.file, name);
  if (!symbol.declaration) return std::monostate();
  return resolve(symbol, range);
}

std::optional<SourceRange> Checker::declaration_of(const std::string& name) {
  for (std::size_t i = context_.locals.size(); i-- > 0;) {
    if (context_.locals[i].name == name) return context_.locals[i].range;
  }
  if (context_.file) {
    if (const Symbol symbol = program_.find(*context_.file, name); symbol.declaration) {
      return symbol.declaration->name_range();
    }
  }
  return std::nullopt;
}

}  // namespace driftwood::shader::checking
