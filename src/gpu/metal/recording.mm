#include "gpu/metal/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "gpu/metal/memory.h"
#include "shader/emit_metal.h"
#include "tensor/layout.h"

namespace driftwood::gpu::metal {
namespace {

MetalMemory& memory_of(const Binding& binding, const Parameter& parameter, const Context& context) {
  auto* memory = dynamic_cast<MetalMemory*>(binding.memory.get());
  if (memory == nullptr || &memory->context() != &context) {
    throw InvalidInput(fmt::format("The binding '{}' has no memory of this device.", parameter.name));
  }
  return *memory;
}

// Size of the bound part; checks that it lies within the buffer and starts at an aligned offset.
std::uint64_t bound_bytes(const MetalMemory& memory, const Binding& binding, const Parameter& parameter,
                          const DeviceFacts& facts) {
  if (binding.offset % facts.buffer_alignment != 0) {
    throw InvalidInput(fmt::format("The binding '{}' has offset {}; the device '{}' needs a multiple of {}.",
                                   parameter.name, binding.offset, facts.id, facts.buffer_alignment));
  }
  const std::uint64_t all = memory.bytes();
  if (binding.offset >= all || binding.size > all - binding.offset) {
    throw InvalidInput(fmt::format("The binding '{}' takes {} bytes from offset {} of a buffer of {} bytes.",
                                   parameter.name, binding.size, binding.offset, all));
  }
  return binding.size == 0 ? all - binding.offset : binding.size;
}

void check_texture(const MetalMemory& memory, const Binding& binding, const Parameter& parameter) {
  const MemoryDescriptor& descriptor = memory.descriptor();
  const bool fits = descriptor.kind == parameter.kind && descriptor.texel == parameter.texel &&
                    descriptor.extent[0] >= parameter.extent[0] && descriptor.extent[1] >= parameter.extent[1] &&
                    descriptor.extent[2] >= parameter.extent[2] && binding.offset == 0;
  if (fits) return;
  throw InvalidInput(fmt::format(
      "The binding '{}' is a {} of {} x {} x {} texels of {}; the kernel uses a {} of {} x {} x {} texels of {}.",
      parameter.name, to_string(descriptor.kind), descriptor.extent[0], descriptor.extent[1], descriptor.extent[2],
      to_string(descriptor.texel), to_string(parameter.kind), parameter.extent[0], parameter.extent[1],
      parameter.extent[2], to_string(parameter.texel)));
}

void check_workgroup(const MetalKernel& kernel, const DeviceFacts& facts) {
  const auto size = kernel.workgroup_size();
  const std::uint64_t threads = std::uint64_t{size[0]} * size[1] * size[2];
  const std::uint32_t limit = std::min(kernel.max_workgroup_size(), facts.max_workgroup_size);
  bool fits = threads > 0 && threads <= limit;
  for (std::size_t i = 0; i < 3; ++i) fits = fits && size[i] <= facts.max_workgroup_extent[i];
  if (fits) return;
  throw InvalidInput(
      fmt::format("A workgroup of {} x {} x {} = {} invocations exceeds the {} that the device '{}' allows for this "
                  "kernel.",
                  size[0], size[1], size[2], threads, limit, facts.id));
}

MTLSize size_of(const std::array<std::uint32_t, 3>& extent) { return MTLSizeMake(extent[0], extent[1], extent[2]); }

}  // namespace

bool MetalRecording::Command::is_empty() const {
  return dispatch.workgroups[0] == 0 || dispatch.workgroups[1] == 0 || dispatch.workgroups[2] == 0;
}

MetalRecording::MetalRecording(std::shared_ptr<Context> context, std::vector<Dispatch> dispatches)
    : context_(std::move(context)) {
  commands_.reserve(dispatches.size());
  for (Dispatch& dispatch : dispatches) {
    const std::size_t index = commands_.size();
    commands_.emplace_back().dispatch = std::move(dispatch);
    try {
      bind(commands_.back());
      set_workgroups(index, commands_.back().dispatch.workgroups);
    } catch (Error& error) {
      const Dispatch& failed = commands_.back().dispatch;
      error.add_context(fmt::format("While recording dispatch {} ({}).", index,
                                    !failed.label.empty()      ? failed.label
                                    : failed.kernel != nullptr ? failed.kernel->name()
                                                               : "no kernel"));
      throw;
    }
  }
}

MetalRecording::Argument MetalRecording::argument(const Binding& binding, const Parameter& parameter,
                                                  std::uint64_t& bytes) const {
  MetalMemory& memory = memory_of(binding, parameter, *context_);
  if (parameter.kind != StorageKind::Buffer && parameter.kind != StorageKind::ImageBuffer) {
    check_texture(memory, binding, parameter);
    return {.texture = memory.texture()};
  }
  if (!memory.has_buffer()) {
    throw InvalidInput(fmt::format("The binding '{}' is a {}; the kernel uses a {}.", parameter.name,
                                   to_string(memory.descriptor().kind), to_string(parameter.kind)));
  }
  bytes = bound_bytes(memory, binding, parameter, context_->facts);
  const bool is_image = parameter.kind == StorageKind::ImageBuffer;
  const std::uint64_t needed =
      is_image ? std::uint64_t{4} * info(parameter.texel).block_bytes * parameter.extent[0] : parameter.min_bytes;
  if (bytes < needed) {
    throw InvalidInput(
        fmt::format("The binding '{}' holds {} bytes; the kernel uses {}.", parameter.name, bytes, needed));
  }
  if (is_image) return {.texture = memory.texture_view(binding.offset, parameter.texel, parameter.extent[0])};
  return {.buffer = memory.buffer(), .offset = static_cast<NSUInteger>(binding.offset)};
}

void MetalRecording::bind(Command& command) {
  command.kernel = dynamic_cast<const MetalKernel*>(command.dispatch.kernel.get());
  if (command.kernel == nullptr || &command.kernel->context() != context_.get()) {
    throw InvalidInput("A dispatch has no kernel of this device.");
  }
  check_workgroup(*command.kernel, context_->facts);
  const Signature& signature = command.kernel->signature();
  const std::vector<Binding>& bindings = command.dispatch.bindings;
  if (bindings.size() != signature.parameters.size()) {
    throw InvalidInput(fmt::format("The kernel '{}' takes {} bindings; the dispatch has {}.", command.kernel->name(),
                                   signature.parameters.size(), bindings.size()));
  }
  std::vector<std::uint64_t> sizes(bindings.size(), 0);
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    command.arguments.push_back(argument(bindings[i], signature.parameters[i], sizes[i]));
  }
  for (const LengthArgument& length : signature.lengths) {
    const std::uint64_t bytes = sizes[length.parameter];
    const std::uint64_t elements = bytes < length.offset ? 0 : (bytes - length.offset) / length.stride;
    command.lengths.push_back(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(elements, std::numeric_limits<std::uint32_t>::max())));
  }
}

void MetalRecording::set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) {
  if (dispatch >= commands_.size()) {
    throw InvalidInput(fmt::format("Dispatch {} is asked for in a recording of {}.", dispatch, commands_.size()));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (workgroups[i] > context_->facts.max_workgroup_count[i]) {
      throw InvalidInput(fmt::format("A grid has {} workgroups in dimension {}; the device '{}' allows {}.",
                                     workgroups[i], i, context_->facts.id, context_->facts.max_workgroup_count[i]));
    }
  }
  commands_[dispatch].dispatch.workgroups = workgroups;
}

void MetalRecording::encode(id<MTLComputeCommandEncoder> encoder, const Command& command) const {
  [encoder setComputePipelineState:command.kernel->pipeline()];
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const Argument& argument = command.arguments[i];
    if (argument.texture != nil) {
      [encoder setTexture:argument.texture atIndex:i];
    } else {
      [encoder setBuffer:argument.buffer offset:argument.offset atIndex:i];
    }
  }
  if (!command.lengths.empty()) {
    [encoder setBytes:command.lengths.data()
               length:command.lengths.size() * sizeof(std::uint32_t)
              atIndex:shader::metal_lengths_buffer];
  }
  [encoder dispatchThreadgroups:size_of(command.dispatch.workgroups)
          threadsPerThreadgroup:size_of(command.kernel->workgroup_size())];
}

id<MTLComputeCommandEncoder> MetalRecording::encoder_of(id<MTLCommandBuffer> commands) const {
  // Serial: each dispatch sees what those before it wrote.
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  if (encoder == nil) throw DeviceLost(fmt::format("The device '{}' gives no encoder.", context_->facts.id));
  return encoder;
}

void MetalRecording::submit() {
  @autoreleasepool {
    id<MTLCommandBuffer> commands = context_->begin();
    id<MTLComputeCommandEncoder> encoder = encoder_of(commands);
    for (const Command& command : commands_) {
      if (!command.is_empty()) encode(encoder, command);
    }
    [encoder endEncoding];
    context_->commit(commands);
  }
}

std::vector<double> MetalRecording::submit_profiled() {
  std::vector<double> nanoseconds;
  nanoseconds.reserve(commands_.size());
  for (const Command& command : commands_) {
    if (command.is_empty()) {
      nanoseconds.push_back(0);
      continue;
    }
    @autoreleasepool {
      id<MTLCommandBuffer> commands = context_->begin();
      id<MTLComputeCommandEncoder> encoder = encoder_of(commands);
      encode(encoder, command);
      [encoder endEncoding];
      context_->commit(commands);
      context_->wait();
      nanoseconds.push_back(std::max(0.0, [commands GPUEndTime] - [commands GPUStartTime]) * 1e9);
    }
  }
  return nanoseconds;
}

}  // namespace driftwood::gpu::metal
