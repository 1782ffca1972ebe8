#include "gpu/metal/metal_device.h"

#import <Metal/Metal.h>

#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "gpu/metal/context.h"
#include "gpu/metal/facts.h"
#include "gpu/metal/kernel.h"
#include "gpu/metal/memory.h"
#include "gpu/metal/recording.h"
#include "gpu/metal/transfer.h"
#include "shader/emit_metal.h"

namespace driftwood::gpu::metal {
namespace {

// All devices of a Mac; the one of a phone or a tablet.
NSArray<id<MTLDevice>>* all_devices() {
#if TARGET_OS_OSX
  return MTLCopyAllDevices();
#else
  id<MTLDevice> device = MTLCreateSystemDefaultDevice();
  return device == nil ? @[] : @[ device ];
#endif
}

const MetalMemory& own(const Memory& memory, const Context& context) {
  const auto* mine = dynamic_cast<const MetalMemory*>(&memory);
  if (mine == nullptr || &mine->context() != &context) throw InvalidInput("A transfer has memory of another device.");
  return *mine;
}

MetalMemory& own(Memory& memory, const Context& context) {
  return const_cast<MetalMemory&>(own(static_cast<const Memory&>(memory), context));
}

MetalRecording& own(Recording& recording, const Context& context) {
  auto* mine = dynamic_cast<MetalRecording*>(&recording);
  if (mine == nullptr || &mine->context() != &context) {
    throw InvalidInput("A recording of another device is submitted.");
  }
  return *mine;
}

void check_range(const MetalMemory& memory, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t all = memory.bytes();
  if (offset > all || size > all - offset) {
    throw InvalidInput(fmt::format("{} bytes at offset {} exceed the {} bytes of the memory.", size, offset, all));
  }
  if (!memory.has_buffer() && (offset != 0 || size != all)) {
    throw InvalidInput(
        fmt::format("A texture of {} bytes is copied whole; {} bytes at offset {} are asked for.", all, size, offset));
  }
}

}  // namespace

Enumeration enumerate() {
  @autoreleasepool {
    Enumeration found;
    for (id<MTLDevice> device in all_devices()) {
      found.devices.push_back({.id = fmt::format("metal:{}", found.devices.size()),
                               .name = text_of([device name]),
                               .device_class = class_of(device),
                               .registry_id = [device registryID]});
    }
    if (found.devices.empty()) found.failures.push_back({"Metal", "The system has no device for Metal."});
    return found;
  }
}

struct MetalDevice::State {
  std::shared_ptr<Context> context = std::make_shared<Context>();
  shader::MetalDialect dialect;
  struct Built {
    __weak id<MTLComputePipelineState> pipeline;
  };
  std::map<std::string, Built> pipelines;  // by source, while a kernel of it lives
};

MetalDevice::MetalDevice(const FoundDevice& found) : state_(std::make_unique<State>()) {
  @autoreleasepool {
    Context& context = *state_->context;
    for (id<MTLDevice> device in all_devices()) {
      if ([device registryID] == found.registry_id) context.device = device;
    }
    if (context.device == nil) {
      throw DeviceLost(fmt::format("The device '{}' ({}) is no longer there.", found.id, found.name));
    }
    context.queue = [context.device newCommandQueue];
    if (context.queue == nil)
      throw DeviceLost(fmt::format("The device '{}' ({}) gives no queue.", found.id, found.name));
    context.facts = query_facts(context.device);
    context.facts.id = found.id;
    state_->dialect.simdgroups = context.facts.has_subgroups;
    state_->dialect.simdgroup_matrices = context.facts.has_matrices;
  }
}

MetalDevice::~MetalDevice() = default;

const DeviceFacts& MetalDevice::facts() const { return state_->context->facts; }

std::uint64_t MetalDevice::allocated_bytes() const { return state_->context->allocated; }

std::shared_ptr<Memory> MetalDevice::allocate(const MemoryDescriptor& descriptor) {
  @autoreleasepool {
    return std::make_shared<MetalMemory>(state_->context, descriptor);
  }
}

void MetalDevice::write(Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) {
  MetalMemory& mine = own(memory, *state_->context);
  check_range(mine, offset, bytes.size());
  metal::write(*state_->context, mine, offset, bytes);
}

void MetalDevice::read(const Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) {
  const MetalMemory& mine = own(memory, *state_->context);
  check_range(mine, offset, bytes.size());
  metal::read(*state_->context, mine, offset, bytes);
}

std::unique_ptr<PendingRead> MetalDevice::read_later(const Memory& memory, std::uint64_t offset, std::size_t size) {
  const MetalMemory& mine = own(memory, *state_->context);
  check_range(mine, offset, size);
  constexpr std::uint64_t word = 4;  // what blits copy multiples of on Macs
  if (!mine.has_buffer() || size == 0 || offset % word != 0 || size % word != 0) {
    return Device::read_later(memory, offset, size);
  }
  return metal::read_later(state_->context, mine, offset, size);
}

void MetalDevice::fill_zero(Memory& memory, std::uint64_t offset, std::uint64_t size) {
  MetalMemory& mine = own(memory, *state_->context);
  check_range(mine, offset, size);
  metal::fill_zero(*state_->context, mine, offset, size);
}

std::shared_ptr<Kernel> MetalDevice::compile(const shader::Module& module, const std::string& name) {
  @autoreleasepool {
    const DeviceFacts& facts = state_->context->facts;
    Signature signature = signature_of(module);
    const auto& size = signature.workgroup_size;
    const std::uint64_t threads = std::uint64_t{size[0]} * size[1] * size[2];
    if (threads == 0 || threads > facts.max_workgroup_size) {
      throw InvalidInput(fmt::format(
          "The kernel '{}' asks for a workgroup of {} x {} x {} = {} invocations; the device '{}' allows {}.", name,
          size[0], size[1], size[2], threads, facts.id, facts.max_workgroup_size));
    }
    if (signature.parameters.size() > facts.max_bindings) {
      throw InvalidInput(fmt::format("The kernel '{}' takes {} bindings; the device '{}' allows {}.", name,
                                     signature.parameters.size(), facts.id, facts.max_bindings));
    }
    const std::string source = shader::emit_metal(module, state_->dialect);
    id<MTLComputePipelineState> pipeline = state_->pipelines[source].pipeline;
    if (pipeline == nil) {
      pipeline = build_pipeline(*state_->context, source, shader::metal_kernel_name(module), name);
      state_->pipelines[source].pipeline = pipeline;
    }
    if (module.uses_subgroups && [pipeline threadExecutionWidth] != facts.subgroup_size) {
      throw Unsupported(fmt::format("The kernel '{}' has simdgroups of {} on the device '{}'; it is made for {}.", name,
                                    [pipeline threadExecutionWidth], facts.id, facts.subgroup_size));
    }
    if ([pipeline staticThreadgroupMemoryLength] > facts.local_memory) {
      throw OutOfMemory(fmt::format("The kernel '{}' uses {} bytes of threadgroup memory; the device '{}' has {}.",
                                    name, [pipeline staticThreadgroupMemoryLength], facts.id, facts.local_memory));
    }
    return std::make_shared<MetalKernel>(state_->context, pipeline, name, std::move(signature));
  }
}

std::unique_ptr<Recording> MetalDevice::record(std::vector<Dispatch> dispatches) {
  @autoreleasepool {
    return std::make_unique<MetalRecording>(state_->context, std::move(dispatches));
  }
}

void MetalDevice::submit(Recording& recording) { own(recording, *state_->context).submit(); }

std::vector<double> MetalDevice::submit_profiled(Recording& recording) {
  finish();
  return own(recording, *state_->context).submit_profiled();
}

void MetalDevice::finish() { state_->context->wait(); }

}  // namespace driftwood::gpu::metal
