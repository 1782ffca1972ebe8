#include "gpu/opencl/recording.h"

#include <fmt/format.h>

#include <limits>

#include "base/error.h"
#include "gpu/opencl/kernel.h"
#include "gpu/opencl/memory.h"
#include "gpu/opencl/status.h"
#include "tensor/layout.h"

namespace driftwood::gpu::opencl {
namespace {

// A GPU should begin while the host still enqueues the rest; drivers may hold commands back until a flush.
constexpr std::size_t first_flush = 8;

OpenClMemory& memory_of(const Binding& binding, const Parameter& parameter, const Context& context) {
  auto* memory = dynamic_cast<OpenClMemory*>(binding.memory.get());
  if (memory == nullptr || &memory->context() != &context) {
    throw InvalidInput(fmt::format("The binding '{}' has no memory of this device.", parameter.name));
  }
  return *memory;
}

// Size of the bound part; checks that it lies within the buffer and starts at an aligned offset.
std::uint64_t bound_bytes(const OpenClMemory& memory, const Binding& binding, const Parameter& parameter,
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

cl_mem buffer_argument(const OpenClMemory& memory, const Parameter& parameter, std::uint64_t bytes) {
  if (bytes < parameter.min_bytes) {
    throw InvalidInput(fmt::format("The binding '{}' holds {} bytes; the kernel uses {}.", parameter.name, bytes,
                                   parameter.min_bytes));
  }
  return memory.buffer();
}

cl_mem image_buffer_argument(OpenClMemory& memory, const Binding& binding, const Parameter& parameter,
                             std::uint64_t bytes, const DeviceFacts& facts) {
  const std::uint64_t needed = std::uint64_t{4} * info(parameter.texel).block_bytes * parameter.extent[0];
  if (bytes < needed || parameter.extent[0] > facts.max_image_buffer) {
    throw InvalidInput(
        fmt::format("The binding '{}' holds {} bytes; the kernel uses an image buffer of {} texels ({} "
                    "bytes), and the device '{}' allows {} texels.",
                    parameter.name, bytes, parameter.extent[0], needed, facts.id, facts.max_image_buffer));
  }
  return memory.image_buffer_view(binding.offset, parameter.texel, parameter.extent[0]);
}

cl_mem texture_argument(const OpenClMemory& memory, const Binding& binding, const Parameter& parameter) {
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
  return memory.image();
}

void check_workgroup(const OpenClKernel& kernel, const DeviceFacts& facts) {
  const auto size = kernel.workgroup_size();
  const std::uint64_t threads = std::uint64_t{size[0]} * size[1] * size[2];
  const std::uint32_t limit = std::min(kernel.max_workgroup_size(), facts.max_workgroup_size);
  if (threads == 0 || threads > limit) {
    throw InvalidInput(
        fmt::format("A workgroup of {} x {} x {} = {} invocations exceeds the {} that the device '{}' "
                    "allows for this kernel.",
                    size[0], size[1], size[2], threads, limit, facts.id));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (size[i] > facts.max_workgroup_extent[i]) {
      throw InvalidInput(fmt::format("A workgroup is {} invocations long in dimension {}; the device '{}' allows {}.",
                                     size[i], i, facts.id, facts.max_workgroup_extent[i]));
    }
  }
}

}  // namespace

OpenClRecording::OpenClRecording(std::shared_ptr<Context> context, const DeviceFacts& facts,
                                 std::vector<Dispatch> dispatches)
    : context_(std::move(context)), facts_(facts) {
  commands_.reserve(dispatches.size());
  for (Dispatch& dispatch : dispatches) {
    const std::size_t index = commands_.size();
    commands_.emplace_back().dispatch = std::move(dispatch);
    try {
      bind(commands_.back());
      OpenClRecording::set_workgroups(index, commands_.back().dispatch.workgroups);
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

void OpenClRecording::bind(Command& command) {
  const auto* kernel = dynamic_cast<const OpenClKernel*>(command.dispatch.kernel.get());
  if (kernel == nullptr || &kernel->context() != context_.get()) {
    throw InvalidInput("A dispatch has no kernel of this device.");
  }
  check_workgroup(*kernel, facts_);
  const Signature& signature = kernel->signature();
  const std::vector<Binding>& bindings = command.dispatch.bindings;
  if (bindings.size() != signature.parameters.size()) {
    throw InvalidInput(fmt::format("The kernel '{}' takes {} bindings; the dispatch has {}.", kernel->name(),
                                   signature.parameters.size(), bindings.size()));
  }
  command.kernel = kernel->instantiate();
  for (std::size_t i = 0; i < 3; ++i) command.local[i] = kernel->workgroup_size()[i];

  std::vector<std::uint64_t> sizes(bindings.size(), 0);
  const auto set_argument = [&](std::size_t index, std::size_t size, const void* value) {
    check(context_->api->clSetKernelArg(command.kernel.get(), static_cast<cl_uint>(index), size, value),
          fmt::format("Setting argument {} of kernel '{}'", index, kernel->name()));
  };
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const Parameter& parameter = signature.parameters[i];
    OpenClMemory& memory = memory_of(bindings[i], parameter, *context_);
    cl_mem object = nullptr;
    if (parameter.kind != StorageKind::Buffer && parameter.kind != StorageKind::ImageBuffer) {
      object = texture_argument(memory, bindings[i], parameter);
    } else {
      if (!memory.has_buffer()) {
        throw InvalidInput(fmt::format("The binding '{}' is a {}; the kernel uses a {}.", parameter.name,
                                       to_string(memory.descriptor().kind), to_string(parameter.kind)));
      }
      sizes[i] = bound_bytes(memory, bindings[i], parameter, facts_);
      object = parameter.kind == StorageKind::Buffer
                   ? buffer_argument(memory, parameter, sizes[i])
                   : image_buffer_argument(memory, bindings[i], parameter, sizes[i], facts_);
    }
    set_argument(i, sizeof(cl_mem), &object);
  }
  for (std::size_t i = 0; i < signature.lengths.size(); ++i) {
    const LengthArgument& length = signature.lengths[i];
    const std::uint64_t bytes = sizes[length.parameter];
    const std::uint64_t elements = bytes < length.offset ? 0 : (bytes - length.offset) / length.stride;
    const auto value = static_cast<cl_uint>(std::min<std::uint64_t>(elements, std::numeric_limits<cl_uint>::max()));
    set_argument(bindings.size() + i, sizeof value, &value);
    command.lengths.push_back(value);
  }
  std::size_t next = bindings.size() + signature.lengths.size();
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    if (signature.parameters[i].kind != StorageKind::Buffer) continue;
    const cl_ulong offset = bindings[i].offset;
    set_argument(next++, sizeof offset, &offset);
  }
}

void OpenClRecording::set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) {
  if (dispatch >= commands_.size()) {
    throw InvalidInput(fmt::format("Dispatch {} is asked for in a recording of {}.", dispatch, commands_.size()));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (workgroups[i] > facts_.max_workgroup_count[i]) {
      throw InvalidInput(fmt::format("A grid has {} workgroups in dimension {}; the device '{}' allows {}.",
                                     workgroups[i], i, facts_.id, facts_.max_workgroup_count[i]));
    }
  }
  Command& command = commands_[dispatch];
  const bool is_empty = workgroups[0] == 0 || workgroups[1] == 0 || workgroups[2] == 0;
  for (std::size_t i = 0; i < 3; ++i) command.global[i] = is_empty ? 0 : workgroups[i] * command.local[i];
}

void OpenClRecording::enqueue(cl_command_queue queue, std::vector<EventHandle>* events) {
  const Api& api = *context_->api;
  std::size_t enqueued = 0;
  for (const Command& command : commands_) {
    cl_event event = nullptr;
    if (command.global[0] != 0) {
      const cl_int status =
          api.clEnqueueNDRangeKernel(queue, command.kernel.get(), 3, nullptr, command.global.data(),
                                     command.local.data(), 0, nullptr, events != nullptr ? &event : nullptr);
      if (status != CL_SUCCESS)
        check(status, fmt::format("The launch of kernel '{}'", command.dispatch.kernel->name()));
      if (++enqueued == first_flush) api.clFlush(queue);
    }
    if (events != nullptr) events->emplace_back(context_->api, event);
  }
  check(api.clFlush(queue), "Flushing the queue");
}

}  // namespace driftwood::gpu::opencl
