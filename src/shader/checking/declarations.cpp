// Module scope: what the source declares, with what the specialisation binds.
#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "shader/checking/checker_state.h"
#include "shader/checking/constants.h"
#include "shader/checking/conversions.h"
#include "shader/ir_build.h"
#include "shader/parser.h"

namespace driftwood::shader::checking {

namespace {

// With the weights given to each kind of nesting, this keeps the checker's stack under 6 MiB in sanitized builds.
constexpr int max_depth = 1000;

bool is_runtime_sized(const TypePtr& type) {
  const auto* array = type->as<ArrayType>();
  return array && !array->count;
}

/// The array whose size is only known at run time, at the end of the type if there is one.
bool ends_runtime_sized(const TypePtr& type) {
  if (is_runtime_sized(type)) return true;
  const auto* structure = type->as<StructType>();
  return structure && !structure->fields.empty() && is_runtime_sized(structure->fields.back().type);
}

/// WGSL's rule for uniform memory: the elements of arrays lie a multiple of 16 bytes apart.
bool has_uniform_layout(const TypePtr& type) {
  if (const auto* array = type->as<ArrayType>()) {
    return round_up(size_of(array->element), alignment_of(array->element)) % 16 == 0 &&
           has_uniform_layout(array->element);
  }
  const auto* structure = type->as<StructType>();
  return !structure || std::all_of(structure->fields.begin(), structure->fields.end(),
                                   [](const auto& field) { return has_uniform_layout(field.type); });
}

}  // namespace

std::string quoted(std::string_view name) {
  const bool is_long = name.size() > 60;
  return "'" + std::string(name.substr(0, 60)) + (is_long ? "..." : "") + "'";
}

void Checker::fail(SourceRange range, const std::string& message, const std::vector<Note>& notes) const {
  std::vector<Note> all = notes;
  constexpr std::size_t shown = 3;
  for (std::size_t i = instantiations_.size(); i-- > 0 && all.size() < notes.size() + shown;) {
    all.push_back({instantiations_[i].second, "In " + quoted(instantiations_[i].first) + " as called here."});
  }
  program_.fail(range, message, all);
}

Checker::Depth::Depth(Checker& checker, SourceRange range, int weight) : checker_(checker), weight_(weight) {
  checker_.depth_ += weight;
  if (checker_.depth_ > max_depth) {
    checker_.depth_ -= weight;
    checker_.fail(range, "The kernel nests too deeply: declarations that wait for others are too many here.");
  }
}

void Checker::check_specialization_names() {
  const auto is_declared = [&](const std::string& name, auto&& matches) {
    for (const LinkedFile& file : program_.files()) {
      const auto found = file.scope.find(name);
      if (found != file.scope.end() && found->second.home == &file && matches(*found->second.declaration)) return true;
    }
    return false;
  };
  const auto check = [&](const auto& values, const std::string& what, auto&& matches) {
    for (const auto& [name, value] : values) {
      if (is_declared(name, matches)) continue;
      fail({program_.root().tree.file, 0, 0},
           "The specialisation gives " + what + " " + quoted(name) + ", which the kernel does not declare.");
    }
  };
  using Kind = syntax::Variable::Kind;
  const auto is_variable = [](const syntax::Declaration& d, Kind kind) {
    const auto* variable = std::get_if<syntax::Variable>(&d.node);
    return variable && variable->kind == kind;
  };
  check(specialization_.overrides, "the override", [&](const auto& d) { return is_variable(d, Kind::Override); });
  check(specialization_.aliases, "the alias",
        [](const auto& d) { return std::holds_alternative<syntax::Alias>(d.node); });
  check(specialization_.tensors, "the tensor",
        [&](const auto& d) { return is_variable(d, Kind::Var) && syntax::find_attribute(d.attributes, "tensor"); });
  check(specialization_.weights, "the weights",
        [&](const auto& d) { return is_variable(d, Kind::Var) && syntax::find_attribute(d.attributes, "weights"); });
}

void Checker::check_file(const LinkedFile& file) {
  for (const auto& declaration : file.tree.declarations) {
    if (const auto* assertion = std::get_if<syntax::ConstAssert>(&declaration->node)) {
      Context context;
      context.file = &file;
      const Restore<Context> restore(context_, std::move(context));
      check_const_assert(*assertion, declaration->range);
      continue;
    }
    const Entity entity = resolve({declaration.get(), &file}, declaration->name_range());
    if (auto* const* function = std::get_if<SourceFunction*>(&entity); function && !(*function)->takes_handles) {
      instantiate(**function, {}, declaration->name_range());
    }
  }
}

Entity Checker::resolve(const Symbol& symbol, SourceRange user) {
  const auto [place, is_new] = resolved_.try_emplace(symbol.declaration);
  if (!is_new) {
    if (!place->second.is_done) {
      fail(user, "The declaration of " + quoted(symbol.declaration->name()) + " depends on itself.",
           {{symbol.declaration->name_range(), "It is declared here."}});
    }
    return place->second.entity;
  }
  const Depth depth(*this, user, 10);
  Context context;
  context.file = symbol.home;
  const Restore<Context> restore(context_, std::move(context));
  Entity entity = resolve_new(symbol);
  Resolved& resolved = resolved_[symbol.declaration];
  resolved.entity = entity;
  resolved.is_done = true;
  return entity;
}

Entity Checker::resolve_new(const Symbol& symbol) {
  const syntax::Declaration& declaration = *symbol.declaration;
  if (std::holds_alternative<syntax::Function>(declaration.node)) return declare_function(symbol);
  if (const auto* structure = std::get_if<syntax::Struct>(&declaration.node)) {
    allow_attributes(declaration.attributes, {}, "a structure");
    return declare_struct(*structure);
  }
  if (const auto* alias = std::get_if<syntax::Alias>(&declaration.node)) {
    allow_attributes(declaration.attributes, {}, "an alias");
    return declare_alias(*alias);
  }
  const auto& variable = std::get<syntax::Variable>(declaration.node);
  switch (variable.kind) {
    case syntax::Variable::Kind::Const:
      allow_attributes(declaration.attributes, {}, "a constant");
      return declare_constant(variable);
    case syntax::Variable::Kind::Override: return declare_override(declaration, variable);
    default: return declare_module_variable(declaration, variable);
  }
}

void Checker::allow_attributes(const syntax::Attributes& attributes, std::initializer_list<std::string_view> allowed,
                               std::string_view what) {
  for (const syntax::Attribute& attribute : attributes) {
    if (std::find(allowed.begin(), allowed.end(), attribute.name) == allowed.end()) {
      fail(attribute.range, "The attribute '@" + attribute.name + "' does not belong on " + std::string(what) + ".");
    }
    const auto same = [&](const syntax::Attribute& other) { return other.name == attribute.name; };
    if (std::count_if(attributes.begin(), attributes.end(), same) > 1) {
      fail(attribute.range, "The attribute '@" + attribute.name + "' is given twice.");
    }
  }
}

/// The type of a declaration with a value: the one written, which the value is converted to, or the value's own.
TypePtr Checker::declared_type(const syntax::Variable& variable, ExpressionPtr& initializer) {
  if (!variable.type) return initializer->type;
  const TypePtr declared = type(*variable.type);
  if (initializer) initializer = convert(std::move(initializer), declared, "the value of " + quoted(variable.name));
  return declared;
}

/// The value of a declaration: abstract only where a written type is there to convert it to.
ExpressionPtr Checker::initial_value(const syntax::Variable& variable) {
  return variable.type ? value(*variable.initializer) : concrete_value(*variable.initializer);
}

Entity Checker::declare_constant(const syntax::Variable& variable) {
  ExpressionPtr initializer = value(*variable.initializer);
  const TypePtr type = declared_type(variable, initializer);
  const Literal* known = as_literal(*initializer);
  if (!known) {
    fail(variable.initializer->range,
         "The value of the constant " + quoted(variable.name) + " is not known when the kernel is compiled.");
  }
  return KnownValue{type, std::make_shared<const std::vector<ConstantScalar>>(known->components)};
}

Entity Checker::declare_override(const syntax::Declaration& declaration, const syntax::Variable& variable) {
  allow_attributes(declaration.attributes, {"id"}, "an override");
  ExpressionPtr initializer;
  if (variable.initializer) initializer = initial_value(variable);
  if (!initializer && !variable.type) {
    fail(variable.name_range, "The override " + quoted(variable.name) + " needs a type or a value.");
  }
  const TypePtr type = declared_type(variable, initializer);
  const auto* scalar = type->as<ScalarType>();
  if (!scalar) fail(variable.name_range, "An override is a scalar; " + to_string(type) + " is none.");
  const auto given = specialization_.overrides.find(variable.name);
  if (given == specialization_.overrides.end()) {
    if (!initializer) {
      fail(variable.name_range,
           "The override " + quoted(variable.name) + " has no default, and the specialisation gives it no value.");
    }
    const Literal* known = as_literal(*initializer);
    if (!known) {
      fail(variable.initializer->range,
           "The value of the override " + quoted(variable.name) + " is not known when the kernel is compiled.");
    }
    return KnownValue{type, std::make_shared<const std::vector<ConstantScalar>>(known->components)};
  }
  const double number = given->second;
  std::optional<ConstantScalar> value;
  if (scalar->scalar == Scalar::Bool) {
    if (number == 0 || number == 1) value = ConstantScalar::of_int(Scalar::Bool, number == 1 ? 1 : 0);
  } else if (is_float(scalar->scalar)) {
    value = convert_automatically(ConstantScalar::of_float(Scalar::AbstractFloat, number), scalar->scalar);
  } else if (std::trunc(number) == number && std::fabs(number) < 1e10) {
    value = convert_automatically(ConstantScalar::of_int(Scalar::AbstractInt, static_cast<std::int64_t>(number)),
                                  scalar->scalar);
  }
  if (!value) {
    fail(variable.name_range, "The specialisation gives the override " + quoted(variable.name) + " the value " +
                                  to_string(ConstantScalar::of_float(Scalar::AbstractFloat, number)) +
                                  ", which does not fit into " + to_string(type) + ".");
  }
  return KnownValue{type, std::make_shared<const std::vector<ConstantScalar>>(1, *value)};
}

Entity Checker::declare_module_variable(const syntax::Declaration& declaration, const syntax::Variable& variable) {
  const bool is_tensor = syntax::find_attribute(declaration.attributes, "tensor") != nullptr;
  const bool is_weights = syntax::find_attribute(declaration.attributes, "weights") != nullptr;
  if (is_tensor || is_weights) return declare_handle(declaration, variable);
  if (variable.qualifiers.empty()) {
    fail(variable.name_range, "The variable " + quoted(variable.name) +
                                  " needs an address space: private, workgroup, storage or uniform (or is '@tensor' or "
                                  "'@weights' missing?).");
  }
  const auto* word = std::get_if<syntax::Name>(&variable.qualifiers[0]->node);
  const std::string_view space = word ? std::string_view(word->text) : std::string_view();
  if (space == "storage" || space == "uniform") {
    Access access = Access::Read;
    if (variable.qualifiers.size() > 1) {
      const auto given = access_of(*variable.qualifiers[1]);
      if (!given || *given == Access::Write || space == "uniform") {
        fail(variable.qualifiers[1]->range, "Expected 'read' or 'read_write', of a storage variable.");
      }
      access = *given;
    }
    return declare_buffer(declaration, variable, space == "storage" ? AddressSpace::Storage : AddressSpace::Uniform,
                          access);
  }
  if (space != "private" && space != "workgroup") {
    fail(variable.qualifiers[0]->range, "A variable at module scope lies in private, workgroup, storage or uniform.");
  }
  const bool is_private = space == "private";
  const std::initializer_list<std::string_view> allowed = {"uninitialized"};
  allow_attributes(declaration.attributes, is_private ? std::initializer_list<std::string_view>{} : allowed,
                   "a variable of the " + std::string(space) + " address space");
  ExpressionPtr initializer;
  if (variable.initializer) {
    if (!is_private) fail(variable.initializer->range, "A workgroup variable takes no value; it begins as zero.");
    initializer = initial_value(variable);
    if (!as_literal(*initializer)) {
      fail(variable.initializer->range,
           "The value of " + quoted(variable.name) + " is not known when the kernel is compiled.");
    }
  } else if (!variable.type) {
    fail(variable.name_range, "The variable " + quoted(variable.name) + " needs a type.");
  }
  const TypePtr type = declared_type(variable, initializer);
  if (holds_matrix(type)) {
    fail(variable.name_range, "A matrix of a subgroup is a variable of a function; " + quoted(variable.name) +
                                  " is declared outside of all.");
  }
  const bool has_place = is_constructible(type) || (!is_private && holds_atomic(type) && !ends_runtime_sized(type));
  if (!has_place) {
    fail(variable.name_range,
         "A variable of type " + to_string(type) + " cannot lie in the " + std::string(space) + " address space.");
  }
  auto owned = std::make_unique<Variable>();
  owned->name = variable.name;
  owned->type = type;
  owned->space = is_private ? AddressSpace::Private : AddressSpace::Workgroup;
  owned->is_mutable = true;
  owned->needs_zeroes = syntax::find_attribute(declaration.attributes, "uninitialized") == nullptr;
  owned->initializer = std::move(initializer);
  owned->range = variable.name_range;
  variables_.push_back(std::move(owned));
  return variables_.back().get();
}

Entity Checker::declare_handle(const syntax::Declaration& declaration, const syntax::Variable& variable) {
  allow_attributes(declaration.attributes, {"tensor", "weights", "group", "binding"}, "a tensor or weights");
  const bool is_tensor = syntax::find_attribute(declaration.attributes, "tensor") != nullptr;
  if (!variable.type) fail(variable.name_range, "The resource " + quoted(variable.name) + " needs a type.");
  auto resource = std::make_unique<Resource>();
  resource->name = variable.name;
  resource->range = variable.name_range;
  resource->type = type(*variable.type);
  const bool fits =
      is_tensor ? resource->type->as<TensorType>() != nullptr : resource->type->as<WeightsType>() != nullptr;
  if (!fits) {
    fail(variable.type->range,
         std::string(is_tensor ? "'@tensor' declares a tensor<T>" : "'@weights' declares weights<T>") + ", not " +
             to_string(resource->type) + ".");
  }
  if (variable.initializer) fail(variable.initializer->range, "A resource takes no value.");
  if (variable.qualifiers.size() > 1) fail(variable.qualifiers[1]->range, "Expected one access mode only.");
  if (!variable.qualifiers.empty()) {
    const auto access = access_of(*variable.qualifiers[0]);
    if (!access || (!is_tensor && *access != Access::Read)) {
      fail(variable.qualifiers[0]->range,
           is_tensor ? "Expected 'read', 'write' or 'read_write'." : "Weights are only read.");
    }
    resource->access = *access;
  }
  if (is_tensor) {
    resource->kind = Resource::Kind::Tensor;
    const auto given = specialization_.tensors.find(variable.name);
    if (given == specialization_.tensors.end()) {
      fail(variable.name_range, "The specialisation gives no descriptor of the tensor " + quoted(variable.name) + ".");
    }
    resource->tensor = given->second;
  } else {
    resource->kind = Resource::Kind::Weights;
    const auto given = specialization_.weights.find(variable.name);
    if (given == specialization_.weights.end()) {
      fail(variable.name_range, "The specialisation gives no descriptor of the weights " + quoted(variable.name) + ".");
    }
    resource->weights = given->second;
  }
  Resource* pointer = resource.get();
  resources_[{declaration.range.file, declaration.range.begin}] = std::move(resource);
  return pointer;
}

Entity Checker::declare_buffer(const syntax::Declaration& declaration, const syntax::Variable& variable,
                               AddressSpace space, Access access) {
  allow_attributes(declaration.attributes, {"group", "binding"}, "a buffer");
  if (!variable.type) fail(variable.name_range, "The resource " + quoted(variable.name) + " needs a type.");
  if (variable.initializer) fail(variable.initializer->range, "A resource takes no value.");
  const TypePtr store = type(*variable.type);
  const bool is_storage = space == AddressSpace::Storage;
  if (!is_host_shareable(store) || (!is_storage && !is_constructible(store))) {
    fail(variable.type->range, "A value of type " + to_string(store) + " cannot lie in the " +
                                   std::string(to_string(space)) + " address space.");
  }
  if (is_storage && access == Access::Read && holds_atomic(store)) {
    fail(variable.type->range, "Atomics need 'var<storage, read_write>'.");
  }
  if (!is_storage && !has_uniform_layout(store)) {
    fail(variable.type->range,
         "Elements of arrays in the uniform address space must lie 16 bytes apart; use vec4 "
         "elements, or the storage address space.");
  }
  auto resource = std::make_unique<Resource>();
  resource->name = variable.name;
  resource->range = variable.name_range;
  resource->kind = is_storage ? Resource::Kind::Storage : Resource::Kind::Uniform;
  resource->access = access;
  resource->type = store;
  Resource* pointer = resource.get();
  resources_[{declaration.range.file, declaration.range.begin}] = std::move(resource);
  return pointer;
}

Entity Checker::declare_alias(const syntax::Alias& alias) {
  const auto given = specialization_.aliases.find(alias.name);
  const TypePtr standard = type(*alias.type);
  if (given == specialization_.aliases.end()) return standard;
  const std::uint16_t source = program_.add_source("alias '" + alias.name + "'", given->second);
  const syntax::ExpressionPtr replacement = parse_type(program_.sources(), source);
  return type(*replacement);
}

Entity Checker::declare_struct(const syntax::Struct& structure) {
  StructType result;
  // Structures are told apart by name, and two files may use the same one.
  result.name = structure.name;
  for (int suffix = 1; !struct_names_.insert(result.name).second; ++suffix) {
    result.name = structure.name + "_" + std::to_string(suffix);
  }
  result.alignment = 1;
  std::uint64_t end = 0;
  if (structure.fields.empty())
    fail(structure.name_range, "The structure " + quoted(structure.name) + " has no members.");
  for (const syntax::Struct::Field& field : structure.fields) {
    allow_attributes(field.attributes, {"align", "size"}, "a member");
    if (!result.fields.empty() && is_runtime_sized(result.fields.back().type)) {
      fail(field.name_range, "Only the last member of a structure may be an array without a count.");
    }
    for (const auto& other : result.fields) {
      if (other.name == field.name) fail(field.name_range, "The member " + quoted(field.name) + " is declared twice.");
    }
    const TypePtr field_type = type(*field.type);
    const bool fits = is_constructible(field_type) || is_runtime_sized(field_type) || holds_atomic(field_type);
    if (!fits || field_type->as<PointerType>() || holds_matrix(field_type)) {
      fail(field.type->range, "A member cannot have the type " + to_string(field_type) + ".");
    }
    std::uint64_t alignment = alignment_of(field_type);
    std::uint64_t size = size_of(field_type);
    if (const auto* align = syntax::find_attribute(field.attributes, "align")) {
      if (align->arguments.size() != 1) fail(align->range, "'@align' takes one argument.");
      const std::int64_t given = constant_integer(*align->arguments[0], "an alignment");
      const bool is_power = given > 0 && given <= 4096 && (given & (given - 1)) == 0;
      if (!is_power || static_cast<std::uint64_t>(given) % alignment != 0) {
        fail(align->range,
             "The alignment must be a power of two, at most 4096 and a multiple of " + std::to_string(alignment) + ".");
      }
      alignment = static_cast<std::uint64_t>(given);
    }
    if (const auto* attribute = syntax::find_attribute(field.attributes, "size")) {
      if (attribute->arguments.size() != 1) fail(attribute->range, "'@size' takes one argument.");
      const std::int64_t given = constant_integer(*attribute->arguments[0], "a size");
      if (given < static_cast<std::int64_t>(size) || given > (1 << 30)) {
        fail(attribute->range, "The size must be at least " + std::to_string(size) + " and at most 1073741824.");
      }
      size = static_cast<std::uint64_t>(given);
    }
    const std::uint64_t offset = round_up(end, alignment);
    end = offset + size;
    if (end >= (std::uint64_t{1} << 31)) fail(field.name_range, "The structure is larger than 2147483647 bytes.");
    result.alignment = std::max(result.alignment, static_cast<std::uint32_t>(alignment));
    result.fields.push_back({field.name, field_type, static_cast<std::uint32_t>(offset)});
  }
  result.size = static_cast<std::uint32_t>(round_up(end, result.alignment));
  TypePtr type = checked_size(std::make_shared<const Type>(Type{std::move(result)}), structure.name_range);
  structs_.push_back(type);
  return type;
}

void Checker::check_const_assert(const syntax::ConstAssert& assertion, SourceRange range) {
  const ExpressionPtr condition = value(*assertion.condition);
  const auto* scalar = condition->type->as<ScalarType>();
  if (!scalar || scalar->scalar != Scalar::Bool) {
    fail(assertion.condition->range, "'const_assert' takes a bool, not " + to_string(condition->type) + ".");
  }
  const Literal* known = as_literal(*condition);
  if (!known)
    fail(assertion.condition->range, "The condition of 'const_assert' is not known when the kernel is compiled.");
  if (known->components[0].i == 0 && !context_.is_dead) fail(range, "The assertion does not hold.");
}

}  // namespace driftwood::shader::checking
