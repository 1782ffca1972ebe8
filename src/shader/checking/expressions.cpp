// Names, literals, members and indices; references and values.
#include <algorithm>
#include <array>

#include "shader/checking/checker_state.h"
#include "shader/checking/constants.h"
#include "shader/checking/conversions.h"
#include "shader/ir_build.h"

namespace driftwood::shader::checking {

ExpressionPtr Checker::expression(const syntax::Expression& source) {
  const Depth depth(*this, source.range);
  return std::visit([&](const auto& inner) { return node(inner, source.range); }, source.node);
}

ExpressionPtr Checker::value(const syntax::Expression& source) { return as_value(expression(source)); }

ExpressionPtr Checker::concrete_value(const syntax::Expression& source) { return make_concrete(value(source)); }

ExpressionPtr Checker::as_value(ExpressionPtr checked) {
  const TypePtr& type = checked->type;
  if (type->as<VoidType>()) fail(checked->range, "This call gives no value.");
  if (type->as<TensorType>()) fail(checked->range, "A tensor is no value; read it with 'tensorLoad'.");
  if (type->as<WeightsType>()) fail(checked->range, "Weights are no value; read them with 'weightsLoad'.");
  if (!checked->is_reference) return checked;
  if (type->as<AtomicType>()) fail(checked->range, "An atomic is read with 'atomicLoad(&...)'.");
  if (!is_constructible(type) && !type->as<PointerType>()) {
    fail(checked->range, "A value of type " + to_string(type) + " cannot be copied; name the element that is meant.");
  }
  return checked;
}

ExpressionPtr Checker::target(const syntax::Expression& source) {
  ExpressionPtr checked = expression(source);
  const bool is_call = std::holds_alternative<syntax::Call>(source.node);
  if (!checked->is_reference || is_call) {
    if (const auto* name = std::get_if<syntax::Name>(&source.node)) {
      std::vector<Note> notes;
      if (const auto at = declaration_of(name->text)) notes.push_back({*at, quoted(name->text) + " is declared here."});
      fail(source.range, quoted(name->text) + " cannot be assigned; only what 'var' declares can.", notes);
    }
    const auto* swizzled = std::get_if<Swizzle>(&checked->node);
    if (swizzled && swizzled->count > 1) {
      fail(source.range, "Several components at once cannot be assigned; assign them one by one.");
    }
    fail(source.range, "This is a value and cannot be assigned.");
  }
  const PointerType place = place_of(*checked);
  if (place.access == Access::Read) {
    std::vector<Note> notes;
    if (const Resource* resource = [&]() -> const Resource* {
          const Expression* root = checked.get();
          while (true) {
            if (const auto* index = std::get_if<Index>(&root->node)) {
              root = index->base.get();
            } else if (const auto* member = std::get_if<Member>(&root->node)) {
              root = member->base.get();
            } else if (const auto* part = std::get_if<Swizzle>(&root->node)) {
              root = part->base.get();
            } else {
              const auto* whole = std::get_if<ResourceExpression>(&root->node);
              return whole ? whole->resource : nullptr;
            }
          }
        }()) {
      notes.push_back({resource->range, quoted(resource->name) + " is declared here, for reading only."});
    }
    fail(source.range, "This memory is only read and cannot be assigned.", notes);
  }
  if (checked->type->as<AtomicType>()) fail(source.range, "An atomic is written with 'atomicStore(&..., value)'.");
  if (!is_constructible(checked->type)) {
    fail(source.range, "A value of type " + to_string(checked->type) + " cannot be assigned as a whole.");
  }
  return checked;
}

/// Address space, type and access of what a reference refers to.
PointerType Checker::place_of(const Expression& reference) {
  const Expression* root = &reference;
  while (true) {
    if (const auto* index = std::get_if<Index>(&root->node)) {
      root = index->base.get();
    } else if (const auto* member = std::get_if<Member>(&root->node)) {
      root = member->base.get();
    } else if (const auto* part = std::get_if<Swizzle>(&root->node)) {
      root = part->base.get();
    } else {
      break;
    }
  }
  PointerType place{AddressSpace::Function, reference.type, Access::ReadWrite};
  if (const auto* variable = std::get_if<VariableExpression>(&root->node)) {
    place.space = variable->variable->space;
  } else if (const auto* resource = std::get_if<ResourceExpression>(&root->node)) {
    const bool is_storage = resource->resource->kind == Resource::Kind::Storage;
    place.space = is_storage ? AddressSpace::Storage : AddressSpace::Uniform;
    place.access = resource->resource->access;
  } else if (const auto* dereferenced = std::get_if<Dereference>(&root->node)) {
    const auto* pointer = dereferenced->pointer->type->as<PointerType>();
    place.space = pointer->space;
    place.access = pointer->access;
  }
  return place;
}

ExpressionPtr Checker::node(const syntax::Name& name, SourceRange range) {
  const Entity entity = look_up(name.text, range);
  if (!name.arguments.empty()) {
    type_of_name(name, range);
    fail(range, "This is a type, not a value.");
  }
  if (const auto* known = std::get_if<KnownValue>(&entity)) return literal(known->type, *known->components, range);
  if (auto* const* variable = std::get_if<Variable*>(&entity)) {
    return build::expression((*variable)->type, VariableExpression{*variable}, range, (*variable)->is_mutable);
  }
  if (auto* const* resource = std::get_if<Resource*>(&entity)) {
    const bool is_memory = (*resource)->kind == Resource::Kind::Storage || (*resource)->kind == Resource::Kind::Uniform;
    return build::expression((*resource)->type, ResourceExpression{*resource}, range, is_memory);
  }
  if (std::holds_alternative<TypePtr>(entity)) fail(range, quoted(name.text) + " is a type, not a value.");
  if (std::holds_alternative<SourceFunction*>(entity) || builtin_from_name(name.text)) {
    fail(range, quoted(name.text) + " is a function; write '" + name.text + "(...)' to call it.");
  }
  if (is_predeclared_type(name.text)) fail(range, quoted(name.text) + " is a type, not a value.");
  fail(range, quoted(name.text) + " is not declared.");
}

ExpressionPtr Checker::node(const syntax::Number& number, SourceRange range) {
  return literal(scalar_type(number.value.scalar), {number.value}, range);
}

ExpressionPtr Checker::node(const syntax::Boolean& boolean, SourceRange range) {
  return build::literal_bool(boolean.value, range);
}

ExpressionPtr Checker::literal(TypePtr type, std::vector<ConstantScalar> components, SourceRange range) {
  return build::literal(std::move(type), std::move(components), range);
}

ExpressionPtr Checker::impossible_value(const std::string& message, TypePtr type, SourceRange range) {
  if (!context_.is_dead) fail(range, message);
  std::vector<ConstantScalar> zeroes;
  const std::uint64_t count = component_count(type);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Scalar scalar = component_scalar(type, i);
    zeroes.push_back(is_float(scalar) ? ConstantScalar::of_float(scalar, 0) : ConstantScalar::of_int(scalar, 0));
  }
  return literal(std::move(type), std::move(zeroes), range);
}

ExpressionPtr Checker::make_concrete(ExpressionPtr checked) {
  if (!is_abstract(checked->type)) return checked;
  const TypePtr type = concrete(checked->type);
  return convert(std::move(checked), type, "this value");
}

ExpressionPtr Checker::convert(ExpressionPtr checked, const TypePtr& type, std::string_view what) {
  if (same_type(checked->type, type)) return checked;
  const SourceRange range = checked->range;
  const Literal* known = as_literal(*checked);
  if (!known || !converts(checked->type, type)) {
    const int width = width_of(type);
    const bool is_close =
        width > 0 && width == width_of(checked->type) && !type->as<AtomicType>() && !checked->type->as<AtomicType>();
    const std::string how = is_close ? " Convert it with '" + to_string(type) + "(...)'." : "";
    fail(range, "Expected " + to_string(type) + " for " + std::string(what) + ", but this has the type " +
                    to_string(checked->type) + "." + how);
  }
  std::vector<ConstantScalar> components;
  components.reserve(known->components.size());
  for (std::size_t i = 0; i < known->components.size(); ++i) {
    const Scalar scalar = component_scalar(type, i);
    const auto converted = convert_automatically(known->components[i], scalar);
    if (!converted) {
      return impossible_value(
          "The value " + to_string(known->components[i]) + " does not fit into " + std::string(to_string(scalar)) + ".",
          type, range);
    }
    components.push_back(*converted);
  }
  return literal(type, std::move(components), range);
}

std::int64_t Checker::constant_integer(const syntax::Expression& source, std::string_view what) {
  const ExpressionPtr checked = value(source);
  const auto* scalar = checked->type->as<ScalarType>();
  if (!scalar || !is_integer(scalar->scalar)) {
    fail(source.range,
         "Expected an integer for " + std::string(what) + ", but this has the type " + to_string(checked->type) + ".");
  }
  const Literal* known = as_literal(*checked);
  if (!known) {
    fail(source.range, "The value of " + std::string(what) + " must be known when the kernel is compiled.");
  }
  return known->components[0].i;
}

ExpressionPtr Checker::dereference(ExpressionPtr pointer, SourceRange range) {
  if (auto* address = std::get_if<AddressOf>(&pointer->node)) return std::move(address->reference);
  const TypePtr pointee = pointer->type->as<PointerType>()->pointee;
  return build::expression(pointee, Dereference{std::move(pointer)}, range, true);
}

ExpressionPtr Checker::node(const syntax::Index& source, SourceRange range) {
  ExpressionPtr base = expression(*source.base);
  if (base->type->as<PointerType>()) base = dereference(std::move(base), source.base->range);
  const auto* array = base->type->as<ArrayType>();
  const auto* vector = base->type->as<VectorType>();
  if (!array && !vector) {
    fail(source.base->range, "Only arrays and vectors have an index; this has the type " + to_string(base->type) + ".");
  }
  ExpressionPtr index = value(*source.index);
  const auto* scalar = index->type->as<ScalarType>();
  if (!scalar || !is_integer(scalar->scalar)) {
    fail(source.index->range, "An index is an i32 or u32, not " + to_string(index->type) + ".");
  }
  const auto count = array ? array->count : std::optional<std::uint32_t>(vector->width);
  if (const auto known = integer_value(*index)) {
    const bool is_outside = *known < 0 || (count && *known >= std::int64_t{*count});
    if (is_outside) {
      const std::string limit =
          count ? "; " + to_string(base->type) + " has " + std::to_string(*count) + " elements" : "";
      const TypePtr element = array ? array->element : scalar_type(vector->scalar);
      return impossible_value("The index " + std::to_string(*known) + " is out of range" + limit + ".", element, range);
    }
    if (const Literal* whole = as_literal(*base)) {
      const TypePtr element = array ? array->element : scalar_type(vector->scalar);
      const auto size = static_cast<std::ptrdiff_t>(component_count(element));
      const auto begin = whole->components.begin() + static_cast<std::ptrdiff_t>(*known) * size;
      return literal(element, std::vector<ConstantScalar>(begin, begin + size), range);
    }
  } else {
    base = make_concrete(std::move(base));
  }
  index = make_concrete(std::move(index));
  array = base->type->as<ArrayType>();
  const TypePtr element = array ? array->element : scalar_type(*scalar_of(base->type));
  const bool is_reference = base->is_reference;
  return build::expression(element, Index{std::move(base), std::move(index)}, range, is_reference);
}

ExpressionPtr Checker::node(const syntax::Member& source, SourceRange range) {
  ExpressionPtr base = expression(*source.base);
  if (base->type->as<PointerType>()) base = dereference(std::move(base), source.base->range);
  if (base->type->as<VectorType>()) return swizzle(std::move(base), source, range);
  const auto* structure = base->type->as<StructType>();
  if (!structure) {
    fail(source.name_range, "A value of type " + to_string(base->type) + " has no member " + quoted(source.name) + ".");
  }
  for (std::uint32_t i = 0; i < structure->fields.size(); ++i) {
    const StructType::Field& field = structure->fields[i];
    if (field.name != source.name) continue;
    const TypePtr type = field.type;
    if (const Literal* whole = as_literal(*base)) {
      const auto begin = whole->components.begin() + static_cast<std::ptrdiff_t>(component_offset(*structure, i));
      const auto size = static_cast<std::ptrdiff_t>(component_count(type));
      return literal(type, std::vector<ConstantScalar>(begin, begin + size), range);
    }
    const bool is_reference = base->is_reference;
    return build::expression(type, Member{std::move(base), i}, range, is_reference);
  }
  fail(source.name_range, "The structure " + quoted(structure->name) + " has no member " + quoted(source.name) + ".");
}

ExpressionPtr Checker::swizzle(ExpressionPtr base, const syntax::Member& source, SourceRange range) {
  const VectorType vector = *base->type->as<VectorType>();
  const std::string_view sets[] = {"xyzw", "rgba"};
  std::array<std::uint8_t, 4> components = {};
  bool fits = source.name.size() <= 4;
  const std::string_view set = sets[0].find(source.name[0]) != std::string_view::npos ? sets[0] : sets[1];
  for (std::size_t i = 0; fits && i < source.name.size(); ++i) {
    const auto place = set.find(source.name[i]);
    fits = place != std::string_view::npos && place < vector.width;
    components[i] = static_cast<std::uint8_t>(place);
  }
  if (!fits) {
    fail(source.name_range, quoted(source.name) + " names no components of a " + to_string(base->type) + ".");
  }
  const auto count = static_cast<std::uint8_t>(source.name.size());
  const TypePtr type = numeric_type(vector.scalar, count);
  if (const Literal* whole = as_literal(*base)) {
    std::vector<ConstantScalar> picked;
    for (std::size_t i = 0; i < count; ++i) picked.push_back(whole->components[components[i]]);
    return literal(type, std::move(picked), range);
  }
  const bool is_reference = base->is_reference && count == 1;
  return build::expression(type, Swizzle{std::move(base), components, count}, range, is_reference);
}

}  // namespace driftwood::shader::checking
