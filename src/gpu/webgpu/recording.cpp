#include "gpu/webgpu/recording.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "gpu/webgpu/memory.h"
#include "tensor/layout.h"

namespace driftwood::gpu::webgpu {
namespace {

// A GPU should begin while the host still encodes the rest; a submission costs more than a dispatch.
constexpr std::size_t first_submission = 32;
constexpr std::size_t most_in_submission = 512;

const WebGpuMemory& memory_of(const Binding& binding, const Parameter& parameter, const Context& context) {
  const auto* memory = dynamic_cast<const WebGpuMemory*>(binding.memory.get());
  if (memory == nullptr || &memory->context() != &context) {
    throw InvalidInput(fmt::format("The binding '{}' has no memory of this device.", parameter.name));
  }
  return *memory;
}

// Size of the bound part in whole words; checks that it lies within the buffer, starts at an aligned offset and holds
// what the kernel uses.
std::uint64_t bound_bytes(const WebGpuMemory& memory, const Binding& binding, const Parameter& parameter,
                          const DeviceFacts& facts, const WGPULimits& limits) {
  if (!memory.has_buffer()) {
    throw InvalidInput(fmt::format("The binding '{}' is a {}; the kernel uses a {}.", parameter.name,
                                   to_string(memory.descriptor().kind), to_string(parameter.kind)));
  }
  if (binding.offset % facts.buffer_alignment != 0) {
    throw InvalidInput(fmt::format("The binding '{}' has offset {}; the device '{}' needs a multiple of {}.",
                                   parameter.name, binding.offset, facts.id, facts.buffer_alignment));
  }
  const std::uint64_t all = memory.bytes();
  if (binding.offset >= all || binding.size > all - binding.offset) {
    throw InvalidInput(fmt::format("The binding '{}' takes {} bytes from offset {} of a buffer of {} bytes.",
                                   parameter.name, binding.size, binding.offset, all));
  }
  std::uint64_t bytes = binding.size == 0 ? all - binding.offset : binding.size;
  if (bytes < parameter.min_bytes) {
    throw InvalidInput(fmt::format("The binding '{}' holds {} bytes; the kernel uses {}.", parameter.name, bytes,
                                   parameter.min_bytes));
  }
  // A uniform has a known size: a larger binding reaches what no kernel reads.
  if (parameter.is_uniform) bytes = std::min<std::uint64_t>(bytes, limits.maxUniformBufferBindingSize);
  const std::uint64_t limit = parameter.is_uniform ? limits.maxUniformBufferBindingSize : facts.max_binding;
  if (std::max(bytes, parameter.min_bytes) > limit) {
    throw InvalidInput(fmt::format("The binding '{}' takes {} bytes; the device '{}' allows {} for one.",
                                   parameter.name, std::max(bytes, parameter.min_bytes), facts.id, limit));
  }
  return (bytes + word_bytes - 1) / word_bytes * word_bytes;
}

void check_texture(const WebGpuMemory& memory, const Binding& binding, const Parameter& parameter) {
  const MemoryDescriptor& descriptor = memory.descriptor();
  const bool fits = descriptor.kind == parameter.kind && descriptor.texel == parameter.texel &&
                    descriptor.extent[0] >= parameter.extent[0] && descriptor.extent[1] >= parameter.extent[1] &&
                    descriptor.extent[2] >= parameter.extent[2] && binding.offset == 0;
  if (!fits) {
    throw InvalidInput(fmt::format(
        "The binding '{}' is a {} of {} x {} x {} texels of {}; the kernel uses a {} of {} x {} x {} texels of {}.",
        parameter.name, to_string(descriptor.kind), descriptor.extent[0], descriptor.extent[1], descriptor.extent[2],
        to_string(descriptor.texel), to_string(parameter.kind), parameter.extent[0], parameter.extent[1],
        parameter.extent[2], to_string(parameter.texel)));
  }
}

}  // namespace

WebGpuRecording::WebGpuRecording(std::shared_ptr<Context> context, const DeviceFacts& facts,
                                 std::vector<Dispatch> dispatches)
    : context_(std::move(context)), facts_(facts) {
  context_->check();
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

void WebGpuRecording::bind(Command& command) {
  auto* kernel = dynamic_cast<WebGpuKernel*>(command.dispatch.kernel.get());
  if (kernel == nullptr || &kernel->context() != context_.get()) {
    throw InvalidInput("A dispatch has no kernel of this device.");
  }
  const Signature& signature = kernel->signature();
  const std::vector<Binding>& bindings = command.dispatch.bindings;
  if (bindings.size() != signature.parameters.size()) {
    throw InvalidInput(fmt::format("The kernel '{}' takes {} bindings; the dispatch has {}.", kernel->name(),
                                   signature.parameters.size(), bindings.size()));
  }
  std::vector<BoundRange> ranges;
  std::vector<WGPUBindGroupEntry> all;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const Parameter& parameter = signature.parameters[i];
    const WebGpuMemory& memory = memory_of(bindings[i], parameter, *context_);
    WGPUBindGroupEntry entry = {};
    entry.binding = static_cast<std::uint32_t>(i);
    BoundRange range{.name = parameter.name, .is_uniform = parameter.is_uniform, .writes = parameter.writes};
    range.is_buffer = parameter.kind == StorageKind::Buffer;
    range.has_length =
        std::ranges::any_of(signature.lengths, [&](const auto& length) { return length.parameter == i; });
    if (range.is_buffer) {
      range.object = memory.buffer();
      range.offset = bindings[i].offset;
      range.size = bound_bytes(memory, bindings[i], parameter, facts_, context_->limits);
      entry.buffer = memory.buffer();
      entry.offset = range.offset;
      entry.size = range.size;
    } else {
      check_texture(memory, bindings[i], parameter);
      range.object = memory.texture();
      entry.textureView = memory.view();
    }
    ranges.push_back(range);
    all.push_back(entry);
  }
  const std::vector<BindingUse> uses = resolve_uses(ranges);
  const WebGpuKernel::Variant& variant = kernel->variant(uses);
  command.pipeline = variant.pipeline.get();
  std::vector<WGPUBindGroupEntry> entries;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (uses[i].alias) all[*uses[i].alias].size = std::max(all[*uses[i].alias].size, all[i].size);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!uses[i].alias) entries.push_back(all[i]);
  }
  WGPUBindGroupDescriptor descriptor = {};
  descriptor.layout = variant.layout.get();
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  ErrorScope scope(*context_->instance, context_->device.get());
  command.group = BindGroupHandle(context_->shared_api(),
                                  context_->api().wgpuDeviceCreateBindGroup(context_->device.get(), &descriptor));
  scope.check(fmt::format("Binding the arguments of kernel '{}'", kernel->name()));
}

void WebGpuRecording::set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) {
  if (dispatch >= commands_.size()) {
    throw InvalidInput(fmt::format("Dispatch {} is asked for in a recording of {}.", dispatch, commands_.size()));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (workgroups[i] > facts_.max_workgroup_count[i]) {
      throw InvalidInput(fmt::format("A grid has {} workgroups in dimension {}; the device '{}' allows {}.",
                                     workgroups[i], i, facts_.id, facts_.max_workgroup_count[i]));
    }
  }
  commands_[dispatch].dispatch.workgroups = workgroups;
}

bool WebGpuRecording::is_skipped(std::size_t dispatch) const {
  const auto& groups = commands_[dispatch].dispatch.workgroups;
  return groups[0] == 0 || groups[1] == 0 || groups[2] == 0;
}

void WebGpuRecording::dispatch(WGPUComputePassEncoder pass, const Command& command) const {
  const Api& api = context_->api();
  const auto& groups = command.dispatch.workgroups;
  api.wgpuComputePassEncoderSetPipeline(pass, command.pipeline);
  api.wgpuComputePassEncoderSetBindGroup(pass, 0, command.group.get(), 0, nullptr);
  api.wgpuComputePassEncoderDispatchWorkgroups(pass, groups[0], groups[1], groups[2]);
}

void WebGpuRecording::encode(WGPUCommandEncoder encoder, std::size_t dispatch,
                             const WGPUPassTimestampWrites* times) const {
  const Api& api = context_->api();
  WGPUComputePassDescriptor descriptor = {};
  descriptor.timestampWrites = times;
  const PassHandle pass(context_->shared_api(), api.wgpuCommandEncoderBeginComputePass(encoder, &descriptor));
  this->dispatch(pass.get(), commands_[dispatch]);
  api.wgpuComputePassEncoderEnd(pass.get());
}

void WebGpuRecording::submit() const {
  const Api& api = context_->api();
  context_->check();
  std::size_t limit = first_submission;
  for (std::size_t next = 0; next < commands_.size(); limit = most_in_submission) {
    const EncoderHandle encoder(context_->shared_api(),
                                api.wgpuDeviceCreateCommandEncoder(context_->device.get(), nullptr));
    const PassHandle pass(context_->shared_api(), api.wgpuCommandEncoderBeginComputePass(encoder.get(), nullptr));
    for (std::size_t encoded = 0; next < commands_.size() && encoded < limit; ++next) {
      if (is_skipped(next)) continue;
      dispatch(pass.get(), commands_[next]);
      ++encoded;
    }
    api.wgpuComputePassEncoderEnd(pass.get());
    context_->submit(encoder.get());
  }
}

}  // namespace driftwood::gpu::webgpu
