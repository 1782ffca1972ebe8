// References: variables in registers, workgroup memory, bound memory, and parts of them.
#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "shader/interpreter/components.h"
#include "shader/interpreter/lowering.h"
#include "tensor/data_type.h"

namespace driftwood::shader::interpreter {

Lowering::Place Lowering::place_of(const Expression& e) {
  if (e.type->as<PointerType>()) return pointee_of(e);
  if (const auto* n = std::get_if<VariableExpression>(&e.node)) {
    const Binding& binding = bindings_.at(n->variable);
    if (!binding.is_place) throw InternalError("'" + n->variable->name + "' is used as a reference but is a value.");
    return binding.place;
  }
  if (const auto* n = std::get_if<ResourceExpression>(&e.node)) {
    return {.space = Place::Space::Storage,
            .type = n->resource->type,
            .slot = slot_of(n->resource),
            .name = "'" + n->resource->name + "'"};
  }
  if (const auto* n = std::get_if<Dereference>(&e.node)) return pointee_of(*n->pointer);
  if (const auto* n = std::get_if<Index>(&e.node)) return indexed(place_of(*n->base), *n->index, e.range);
  if (const auto* n = std::get_if<Member>(&e.node)) return member(place_of(*n->base), n->field);
  if (const auto* n = std::get_if<Swizzle>(&e.node)) {
    if (n->count == 1) {
      Place place = place_of(*n->base);
      const Scalar scalar = *scalar_of(place.type);
      const std::uint32_t component = n->components[0];
      if (place.space == Place::Space::Registers) {
        place.base += component;
        if (place.taints != no_register) place.taints += component;
      } else {
        place.base += component * (place.space == Place::Space::Storage && scalar == Scalar::F16 ? 2 : 4);
      }
      place.type = scalar_type(scalar);
      return place;
    }
  }
  throw InternalError("An expression of '" + executable_.name_ + "' is used as a reference but is none.");
}

Lowering::Place Lowering::pointee_of(const Expression& pointer) {
  if (const auto* n = std::get_if<AddressOf>(&pointer.node)) return place_of(*n->reference);
  if (const auto* n = std::get_if<VariableExpression>(&pointer.node)) return bindings_.at(n->variable).place;
  throw InternalError("A pointer of '" + executable_.name_ + "' has no known origin.");
}

Lowering::Place Lowering::member(Place place, std::uint32_t field) {
  const auto& structure = *place.type->as<StructType>();
  const std::uint32_t components = component_offset(structure, field);
  place.base += place.space == Place::Space::Registers   ? components
                : place.space == Place::Space::Workgroup ? 4 * components
                                                         : structure.fields[field].offset;
  place.taints = no_register;
  // The name grows with the path, so that messages say which array of a structure is meant.
  place.name.insert(place.name.size() - 1, "." + structure.fields[field].name);
  place.type = structure.fields[field].type;
  return place;
}

Lowering::Place Lowering::indexed(Place place, const Expression& index, SourceRange range) {
  IndexInfo info;
  info.range = range;
  info.is_signed = scalar_of(index.type) != Scalar::U32;
  info.of = place.name;
  TypePtr element;
  std::uint32_t components = 1;
  if (const auto* array = place.type->as<ArrayType>()) {
    element = array->element;
    components = static_cast<std::uint32_t>(component_count(element));
    info.kind = array->count ? IndexInfo::Kind::Array : IndexInfo::Kind::RuntimeArray;
    info.limit = array->count.value_or(0);
    info.slot = place.slot;
    info.base = place.base;
    info.stride = array_stride(element);
  } else {
    element = scalar_type(*scalar_of(place.type));
    info.kind = IndexInfo::Kind::Vector;
    info.limit = static_cast<std::uint32_t>(width_of(place.type));
    info.stride = scalar_of(place.type) == Scalar::F16 ? 2 : 4;
  }
  if (place.space == Place::Space::Registers) info.stride = components;
  if (place.space == Place::Space::Workgroup) info.stride = 4 * components;
  const Value value = eval(index, executable_.options_.check_overflow);
  place.type = element;
  const Register taints = place.taints;
  const std::uint32_t base = place.base;
  add_index(place, value, info);
  // A vector's component that is known has its taint register; of others nothing is known.
  place.taints = taints != no_register && place.offset == no_register ? taints + (place.base - base) : no_register;
  return place;
}

void Lowering::add_index(Place& place, const Value& index, const IndexInfo& info) {
  const Register i = index.registers[0];
  const bool is_known = i != no_register && i >= first_constant && index.taint(0) == no_register;
  if (is_known && info.kind != IndexInfo::Kind::RuntimeArray) {
    const std::uint32_t value = executable_.constants_[i - first_constant];
    if (value < info.limit) {
      place.base += value * info.stride;
      return;
    }
  }
  if (info.limit == 0 && info.kind != IndexInfo::Kind::RuntimeArray) {
    throw InternalError("An array of '" + executable_.name_ + "' has no elements.");
  }
  const Register r = allocate(1);
  executable_.indices_.push_back(info);
  emit(check_index, r, i, place.offset, index.taint(0));
  executable_.code_.back().info = static_cast<std::uint32_t>(executable_.indices_.size() - 1);
  place.offset = r;
}

AccessInfo Lowering::access(const Place& place, std::uint32_t offset, Element element, std::uint32_t count,
                            SourceRange range) {
  return {.slot = place.slot,
          .base = place.base + offset,
          .element = element,
          .count = count,
          .of = place.name,
          .range = range};
}

Lowering::Value Lowering::load_from(const Place& place, SourceRange range, bool tracked) {
  const std::uint64_t count = component_count(place.type);
  if (place.space == Place::Space::Registers) {
    if (place.offset == no_register) {
      Value value;
      for (std::uint32_t k = 0; k < count; ++k) {
        value.registers.push_back(place.base + k);
        if (tracked && place.taints != no_register) value.taints.push_back(place.taints + k);
      }
      value.ownership = Ownership::Mutable;
      return value;
    }
    Value value = fresh(count);
    for (std::uint32_t k = 0; k < count; ++k) emit(gather, value.registers[k], place.offset, place.base + k);
    return value;
  }
  Value value = fresh(count);
  std::uint32_t done = 0;
  const auto run = [&](std::uint32_t offset, Element element, std::uint32_t components) {
    executable_.accesses_.push_back(access(place, offset, element, components, range));
    emit(load, value.registers[done], place.offset);
    executable_.code_.back().info = static_cast<std::uint32_t>(executable_.accesses_.size() - 1);
    done += components;
  };
  if (place.space == Place::Space::Workgroup) {
    if (count > 0) run(0, Element::Word, static_cast<std::uint32_t>(count));
  } else {
    for_each_run(place.type, 0, run);
  }
  return value;
}

void Lowering::store_to(const Place& place, const Value& given, SourceRange range) {
  Value value = given;
  const auto count = static_cast<std::uint32_t>(value.registers.size());
  if (place.space == Place::Space::Registers) {
    // v = v.yx: every component is read before the first is written.
    if (value.ownership == Ownership::Mutable && count > 1) value = copied(value, !value.taints.empty());
    for (std::uint32_t k = 0; k < count; ++k) {
      if (place.offset == no_register) {
        emit(copy_active, place.base + k, value.registers[k]);
      } else {
        emit(scatter, place.base + k, place.offset, value.registers[k]);
      }
      if (place.taints != no_register) {
        emit(copy_active, place.taints + k, value.taint(k) == no_register ? constant(0) : value.taint(k));
      }
    }
    return;
  }
  std::uint32_t done = 0;
  const auto run = [&](std::uint32_t offset, Element element, std::uint32_t components) {
    const std::vector<Register> sources(value.registers.begin() + done, value.registers.begin() + done + components);
    executable_.accesses_.push_back(access(place, offset, element, components, range));
    emit(store, no_register, place.offset, add_operands(sources));
    executable_.code_.back().info = static_cast<std::uint32_t>(executable_.accesses_.size() - 1);
    done += components;
  };
  if (place.space == Place::Space::Workgroup) {
    run(0, Element::Word, count);
  } else {
    for_each_run(place.type, 0, run);
  }
}

Lowering::Place Lowering::texel(const Resource& object, const std::vector<ExpressionPtr>& coordinates) {
  Place place{
      .space = Place::Space::Storage, .type = object.type, .slot = slot_of(&object), .name = "'" + object.name + "'"};
  const bool tracked = executable_.options_.check_overflow;
  std::uint32_t stride = 4 * info(object.texel).block_bytes;
  std::size_t axis = 0;
  for (const ExpressionPtr& coordinate : coordinates) {
    const Value value = eval(*coordinate, tracked);
    for (std::size_t k = 0; k < value.registers.size(); ++k, ++axis) {
      if (axis >= 3) throw InternalError("An access to " + place.name + " has more than three coordinates.");
      Value component;
      component.registers = {value.registers[k]};
      if (value.taint(k) != no_register) component.taints = {value.taint(k)};
      add_index(place, component,
                {.kind = IndexInfo::Kind::Coordinate,
                 .is_signed = scalar_of(coordinate->type) != Scalar::U32,
                 .limit = object.extent[axis],
                 .stride = stride,
                 .of = place.name,
                 .axis = "xyz"[axis],
                 .range = coordinate->range});
      stride *= object.extent[axis];
    }
  }
  if (axis != static_cast<std::size_t>(coordinate_count(object.storage))) {
    throw InternalError("An access to " + place.name + " has " + std::to_string(axis) + " coordinates; it takes " +
                        std::to_string(coordinate_count(object.storage)) + ".");
  }
  return place;
}

}  // namespace driftwood::shader::interpreter
