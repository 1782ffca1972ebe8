// Reading and writing the inputs, outputs and states of a program.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "graph/program.h"
#include "tensor/pack.h"
#include "tensor/storage.h"

namespace driftwood::graph {

namespace {

// The part of a tensor that `count` values cover, from its beginning: the tensor itself, or the first positions along W
// where these are the first bytes of its one buffer.
TensorDescriptor covered(const Value& value, std::size_t count) {
  if (value.is_array || !value.descriptor) {
    throw InvalidInput(fmt::format("The {} '{}' is an array of {}; it holds no floats.", to_string(value.role),
                                   value.name, to_string(value.data_type)));
  }
  TensorDescriptor part = *value.descriptor;
  const Shape& shape = part.shape;
  if (count == shape.elements()) return part;
  const bool is_prefix = shape.b == 1 && shape.h == 1 && shape.d == 1 && part.storage == StorageKind::Buffer &&
                         part.layout == *find_layout("dhwbcc4", StorageKind::Buffer);
  if (!is_prefix || count == 0 || count > shape.elements() || count % shape.c != 0) {
    throw InvalidInput(fmt::format("{} values are given for '{}' {}, which holds {}{}.", count, value.name,
                                   to_string(shape), shape.elements(),
                                   is_prefix ? fmt::format(", or fewer in whole positions of {}", shape.c) : ""));
  }
  part.shape.w = static_cast<std::uint32_t>(count / shape.c);
  return part;
}

}  // namespace

const gpu::Binding& Program::binding(std::string_view name) const { return bindings_[value(name).id]; }

const Value& Program::value(std::string_view name) const {
  if (const auto found = names_.find(name); found != names_.end()) return lowered_.graph.value(found->second);
  std::string known;
  for (const auto& [key, id] : names_) known += fmt::format("{}'{}'", known.empty() ? "" : ", ", key);
  throw InvalidInput(
      fmt::format("The program has no input, output or state '{}'; it has {}.", name, known.empty() ? "none" : known));
}

void Program::write(std::string_view name, std::span<const std::byte> bytes) {
  const gpu::Binding& target = binding(name);
  if (target.size != 0 && bytes.size() > target.size) {
    throw InvalidInput(fmt::format("{} bytes are written to '{}', which holds {}.", bytes.size(), name, target.size));
  }
  device_.write(*target.memory, target.offset, bytes);
}

void Program::read(std::string_view name, std::span<std::byte> bytes) const {
  const gpu::Binding& source = binding(name);
  if (source.size != 0 && bytes.size() > source.size) {
    throw InvalidInput(fmt::format("{} bytes are read from '{}', which holds {}.", bytes.size(), name, source.size));
  }
  device_.read(*source.memory, source.offset, bytes);
}

void Program::write_floats(std::string_view name, std::span<const float> values) {
  const TensorDescriptor part = covered(value(name), values.size());
  write(name, pack(part, values).at(0));
}

void Program::read_floats(std::string_view name, std::span<float> values) const {
  const TensorDescriptor part = covered(value(name), values.size());
  std::vector<std::vector<std::byte>> objects(1);
  objects[0].resize(object_bytes(part));
  read(name, objects[0]);
  unpack(part, objects, values);
}

std::vector<float> Program::read_value(ValueId id) const {
  const Value& value = lowered_.graph.value(id);
  std::vector<float> numbers(value.shape.elements());
  if (value.role != Role::Activation) {
    read_floats(value.name, numbers);
    return numbers;
  }
  const Placement& place = lowered_.values.at(id);
  std::vector<std::vector<std::byte>> objects(1);
  objects[0].resize(object_bytes(*value.descriptor));
  const bool in_arena = place.kind == Placement::Kind::Arena;
  device_.read(in_arena ? *arena_ : *objects_.at(place.index), in_arena ? place.offset : 0, objects[0]);
  unpack(*value.descriptor, objects, numbers);
  return numbers;
}

}  // namespace driftwood::graph
