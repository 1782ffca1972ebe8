#include "shader/interpreter/lowering.h"

#include <algorithm>

#include "base/error.h"
#include "shader/interpreter/components.h"
#include "tensor/data_type.h"

namespace driftwood::shader {

Executable::Executable(const Module& module, const InterpreterOptions& options) : options_(options) {
  if (options.subgroup_size == 0 || (options.subgroup_size & (options.subgroup_size - 1)) != 0) {
    throw InvalidInput("The subgroup size " + std::to_string(options.subgroup_size) + " is not a power of two.");
  }
  interpreter::Lowering(module, *this).run();
}

namespace interpreter {
namespace {

// Calls are spliced in, so a small kernel can unfold into a large program; these bound it.
constexpr std::size_t max_instructions = 8'000'000;
// The race check counts invocations in 16 bits.
constexpr std::uint64_t max_lanes = 32768;
constexpr std::uint64_t max_register_bytes = std::uint64_t{1} << 30;

}  // namespace

Lowering::Lowering(const Module& module, Executable& executable)
    : module_(module), executable_(executable), address_use_(module) {}

void Lowering::run() {
  const Function* entry = module_.entry_point;
  if (!entry) throw InternalError("The module to interpret has no entry point.");
  executable_.name_ = entry->name;
  executable_.sources_ = module_.sources;
  executable_.workgroup_size_ = entry->workgroup_size;
  const auto size = entry->workgroup_size;
  const std::uint64_t lanes = std::uint64_t{size[0]} * size[1] * size[2];
  if (std::max({size[0], size[1], size[2]}) > max_lanes || lanes == 0 || lanes > max_lanes) {
    throw Unsupported("The kernel '" + entry->name + "' has workgroups of " + std::to_string(size[0]) + " x " +
                      std::to_string(size[1]) + " x " + std::to_string(size[2]) +
                      " invocations; the interpreter runs 1 to " + std::to_string(max_lanes) + ".");
  }
  add_resources();
  add_variables();
  add_parameters();
  frames_.push_back({.function = entry, .result = {}, .tracked = false});
  lower(entry->body);
  number_constants();
}

Register Lowering::allocate(std::uint64_t count) {
  const auto size = executable_.workgroup_size_;
  const std::uint64_t lanes = std::uint64_t{size[0]} * size[1] * size[2];
  if (count > max_register_bytes || (next_ + count) * 4 * std::max<std::uint64_t>(lanes, 1) > max_register_bytes) {
    throw Unsupported("The kernel '" + executable_.name_ + "' needs " + std::to_string(next_ + count) +
                      " words for each of " + std::to_string(lanes) + " invocations; the interpreter holds at most " +
                      std::to_string(max_register_bytes / 4) + " words for a workgroup.");
  }
  const Register first = next_;
  next_ += static_cast<Register>(count);
  highest_ = std::max(highest_, next_);
  return first;
}

Register Lowering::constant(std::uint32_t word) {
  const auto [it, is_new] =
      constant_of_word_.try_emplace(word, first_constant + static_cast<Register>(executable_.constants_.size()));
  if (is_new) executable_.constants_.push_back(word);
  return it->second;
}

Instruction& Lowering::emit(Handler handler, Register r, Register a, Register b, Register c) {
  if (!handler)
    throw InternalError("The interpreter has no instruction for an operation of '" + executable_.name_ + "'.");
  if (executable_.code_.size() >= max_instructions) {
    throw Unsupported("The kernel '" + executable_.name_ + "' unfolds into more than " +
                      std::to_string(max_instructions) + " instructions of the interpreter.");
  }
  executable_.code_.push_back({.run = handler, .r = r, .a = a, .b = b, .c = c});
  return executable_.code_.back();
}

std::uint32_t Lowering::add_range(SourceRange range) {
  executable_.ranges_.push_back(range);
  return static_cast<std::uint32_t>(executable_.ranges_.size() - 1);
}

std::uint32_t Lowering::add_operands(const std::vector<Register>& registers) {
  const auto at = static_cast<std::uint32_t>(executable_.operands_.size());
  executable_.operands_.insert(executable_.operands_.end(), registers.begin(), registers.end());
  return at;
}

void Lowering::add_resources() {
  for (const auto& resource : module_.resources) {
    ExecutableResource r{.name = resource->name, .access = resource->access};
    switch (resource->kind) {
      case Resource::Kind::Tensor:
      case Resource::Kind::Weights:
        throw InternalError("The interpreter is given '" + resource->name + "', which is not virtualised.");
      case Resource::Kind::Storage:
      case Resource::Kind::Uniform:
        r.min_bytes = min_binding_size(resource->type);
        r.has_halves = has_single_halves(resource->type);
        break;
      case Resource::Kind::Object: {
        r.is_object = true;
        r.storage = resource->storage;
        r.texel = resource->texel;
        r.extent = resource->extent;
        r.min_bytes = std::uint64_t{4} * info(resource->texel).block_bytes;
        for (int k = 0; k < coordinate_count(resource->storage); ++k)
          r.min_bytes *= resource->extent[static_cast<std::size_t>(k)];
        break;
      }
    }
    if (r.min_bytes > 0xFFFFFFFFU) {
      throw Unsupported("'" + r.name + "' takes " + std::to_string(r.min_bytes) +
                        " bytes; the interpreter addresses at most 4294967295.");
    }
    slots_[resource.get()] = static_cast<std::uint32_t>(executable_.resources_.size());
    executable_.resources_.push_back(std::move(r));
  }
}

std::uint32_t Lowering::slot_of(const Resource* resource) const { return slots_.at(resource); }

void Lowering::add_variables() {
  std::uint64_t workgroup_bytes = 0;
  for (const auto& variable : module_.variables) {
    Binding binding;
    binding.is_place = true;
    binding.place.type = variable->type;
    binding.place.name = "'" + variable->name + "'";
    const std::uint64_t count = component_count(variable->type);
    if (variable->space == AddressSpace::Workgroup) {
      binding.place.space = Place::Space::Workgroup;
      binding.place.slot = static_cast<std::uint32_t>(executable_.resources_.size());
      binding.place.base = static_cast<std::uint32_t>(workgroup_bytes);
      workgroup_bytes += 4 * count;
      if (workgroup_bytes > max_register_bytes) {
        throw Unsupported("'" + variable->name + "' makes workgroup memory larger than " +
                          std::to_string(max_register_bytes) + " bytes.");
      }
    } else {
      const Value initial = variable->initializer ? eval(*variable->initializer) : Value{};
      binding.place.base = allocate(count);
      for (std::uint32_t k = 0; k < count; ++k) {
        emit(copy, binding.place.base + k, variable->initializer ? initial.registers[k] : constant(0));
      }
      if (address_use_.feeds_address(variable.get()) && width_of(variable->type) > 0) {
        binding.place.taints = allocate(count);
        for (std::uint32_t k = 0; k < count; ++k) emit(copy, binding.place.taints + k, constant(0));
      }
    }
    bindings_[variable.get()] = std::move(binding);
  }
  executable_.workgroup_bytes_ = static_cast<std::uint32_t>(workgroup_bytes);
}

void Lowering::add_parameters() {
  for (const auto& parameter : module_.entry_point->parameters) {
    Binding binding;
    const auto count = component_count(parameter->type);
    const Register first = allocate(count);
    for (std::uint32_t k = 0; k < count; ++k) binding.value.registers.push_back(first + k);
    binding.value.ownership = Ownership::Immutable;
    if (parameter->builtin == BuiltinInput::None) {
      throw InternalError("The entry point's parameter '" + parameter->name + "' is no built-in input.");
    }
    executable_.builtins_.push_back({parameter->builtin, first});
    bindings_[parameter.get()] = std::move(binding);
  }
}

void Lowering::number_constants() {
  const auto renumber = [&](Register& r) {
    if (r != no_register && r >= first_constant) r = r - first_constant + highest_;
  };
  for (Instruction& instruction : executable_.code_) {
    renumber(instruction.r);
    renumber(instruction.a);
    // The operand list of a store is a place in a table, far below the constants.
    renumber(instruction.b);
    renumber(instruction.c);
  }
  for (Register& r : executable_.operands_) renumber(r);
  executable_.register_count_ = highest_ + static_cast<Register>(executable_.constants_.size());
}

Lowering::Value Lowering::fresh(std::uint64_t count, bool with_taints) {
  Value value;
  const Register first = allocate(count * (with_taints ? 2 : 1));
  for (std::uint32_t k = 0; k < count; ++k) {
    value.registers.push_back(first + k);
    if (with_taints) value.taints.push_back(first + static_cast<Register>(count) + k);
  }
  return value;
}

Lowering::Value Lowering::copied(const Value& value, bool with_taints) {
  const Value result = fresh(value.registers.size(), with_taints);
  for (std::size_t k = 0; k < value.registers.size(); ++k) {
    emit(copy, result.registers[k], value.registers[k]);
    if (with_taints) emit(copy, result.taints[k], value.taint(k) == no_register ? constant(0) : value.taint(k));
  }
  return result;
}

bool Lowering::is_contiguous(const Value& value) const {
  for (std::size_t k = 1; k < value.registers.size(); ++k) {
    if (value.registers[k] != value.registers[0] + k) return false;
  }
  return true;
}

}  // namespace interpreter
}  // namespace driftwood::shader
