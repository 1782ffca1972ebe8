#include "gpu/webgpu/webgpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "base/error.h"
#include "gpu/device_probe.h"
#include "gpu/fact_checks.h"
#include "gpu/webgpu/facts.h"
#include "gpu/webgpu/recording.h"
#include "shader/ir_clone.h"

namespace driftwood::gpu::webgpu {
namespace {

constexpr std::uint32_t most_queries = 4096;  // of a set, by the standard
constexpr std::uint32_t most_probe_lanes = 128;
constexpr std::uint32_t vendor_of_many_sizes = 0x8086;  // Intel's compiler takes subgroups of a size for each kernel

// What a probe wrote; nothing where it does not compile or run.
std::vector<std::uint32_t> words_of(Device& device, const ProbeKernel& probe) {
  try {
    return run_probe(device, probe);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::DeviceLost) throw;
    return {};
  }
}

const WebGpuMemory& own(const Memory& memory, const Context& context) {
  const auto* mine = dynamic_cast<const WebGpuMemory*>(&memory);
  if (mine == nullptr || &mine->context() != &context) {
    throw InvalidInput("A transfer has memory of another device.");
  }
  return *mine;
}

WebGpuRecording& own(Recording& recording, const Context& context) {
  auto* mine = dynamic_cast<WebGpuRecording*>(&recording);
  if (mine == nullptr || &mine->context() != &context) {
    throw InvalidInput("A recording of another device is submitted.");
  }
  return *mine;
}

void check_range(const WebGpuMemory& memory, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t all = memory.bytes();
  if (offset > all || size > all - offset) {
    throw InvalidInput(fmt::format("{} bytes at offset {} exceed the {} bytes of the memory.", size, offset, all));
  }
  if (!memory.has_buffer() && (offset != 0 || size != all)) {
    throw InvalidInput(
        fmt::format("A texture of {} bytes is copied whole; {} bytes at offset {} are asked for.", all, size, offset));
  }
}

// Times of the named dispatches, which fit into one set of queries. None is skipped: a query that is never written is
// waited for without end.
void profile(const Context& context, Transfer& transfer, const WebGpuRecording& recording,
             std::span<const std::size_t> dispatches, std::vector<double>& nanoseconds) {
  const Api& api = context.api();
  const WGPUDevice device = context.device.get();
  const auto queries = static_cast<std::uint32_t>(2 * dispatches.size());
  ErrorScope scope(*context.instance, device);
  WGPUQuerySetDescriptor set_descriptor = {};
  set_descriptor.type = WGPUQueryType_Timestamp;
  set_descriptor.count = queries;
  const QuerySetHandle set(context.shared_api(), api.wgpuDeviceCreateQuerySet(device, &set_descriptor));
  WGPUBufferDescriptor buffer_descriptor = {};
  buffer_descriptor.usage = WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc;
  buffer_descriptor.size = queries * sizeof(std::uint64_t);
  const BufferHandle buffer(context.shared_api(), api.wgpuDeviceCreateBuffer(device, &buffer_descriptor));
  scope.check("The creation of queries for times");

  const EncoderHandle encoder(context.shared_api(), api.wgpuDeviceCreateCommandEncoder(device, nullptr));
  for (std::uint32_t i = 0; i < dispatches.size(); ++i) {
    WGPUPassTimestampWrites times = {};
    times.querySet = set.get();
    times.beginningOfPassWriteIndex = 2 * i;
    times.endOfPassWriteIndex = 2 * i + 1;
    recording.encode(encoder.get(), dispatches[i], &times);
  }
  api.wgpuCommandEncoderResolveQuerySet(encoder.get(), set.get(), 0, queries, buffer.get(), 0);
  context.submit(encoder.get());
  std::vector<std::uint64_t> ticks(queries);
  transfer.read_words(buffer.get(), 0, std::as_writable_bytes(std::span(ticks)));
  // Dawn gives nanoseconds, wgpu-native what the device counts.
  const double period =
      api.timestamp_period != nullptr ? static_cast<double>(api.timestamp_period(context.queue.get())) : 1.0;
  for (std::size_t i = 0; i < dispatches.size(); ++i) {
    const std::uint64_t start = ticks[2 * i], end = ticks[2 * i + 1];
    nanoseconds[dispatches[i]] = end > start ? period * static_cast<double>(end - start) : 0.0;
  }
}

}  // namespace

WebGpuDevice::WebGpuDevice(const FoundDevice& found, ProgramCache cache)
    : context_(Context::open(*found.instance, found.request, std::move(cache))) {
  context_->reports->set_id(found.id);
  facts_ = query_facts(*context_);
  facts_.id = found.id;
  dialect_ = {.f16 = facts_.has_f16_arithmetic,
              .subgroups = facts_.has_subgroups,
              .packed_dot = facts_.has_packed_dot,
              .matrices = facts_.has_matrices,
              .untyped_matrix_memory = !facts_.has_typed_matrix_memory,
              .compiler = context_->instance->library().kind == Library::Kind::WgpuNative
                              ? shader::WgslDialect::Compiler::Naga
                              : shader::WgslDialect::Compiler::Tint,
              // Dawn is told not to (context.cpp): it would in every kernel, at the cost of most of the compile time.
              .zeroes_workgroup_memory = context_->instance->library().kind != Library::Kind::Dawn};
  transfer_ = std::make_unique<Transfer>(context_);
  later_reads_ = std::make_unique<LaterReads>(context_);
  probe_subgroups();
  probe_matrices();
}

// wgpu-native has subgroups and does not say of which size.
void WebGpuDevice::probe_subgroups() {
  const AdapterInfo& info = context_->info;
  const bool is_unknown = context_->features.subgroups && info.subgroup_min == 0 && info.subgroup_max == 0;
  if (!is_unknown || info.vendor_id == vendor_of_many_sizes) return;
  const std::uint32_t lanes =
      std::bit_floor(std::min({facts_.max_workgroup_size, facts_.max_workgroup_extent[0], most_probe_lanes}));
  if (lanes < fewest_probe_lanes) return;
  dialect_.subgroups = true;
  const ProbeKernel probe = subgroup_probe(lanes);
  const auto size = probed_subgroup_size(words_of(*this, probe), lanes);
  dialect_.subgroups = facts_.has_subgroups = size.has_value();
  facts_.subgroup_size = size.value_or(1);
}

// What is experimental is believed when it has computed something.
void WebGpuDevice::probe_matrices() {
  if (facts_.has_matrices && !matrices_are_right(words_of(*this, matrix_probe()))) {
    facts_.has_matrices = dialect_.matrices = false;
  }
}

WebGpuDevice::~WebGpuDevice() = default;

std::shared_ptr<Memory> WebGpuDevice::allocate(const MemoryDescriptor& descriptor) {
  return std::make_shared<WebGpuMemory>(context_, facts_, descriptor);
}

void WebGpuDevice::write(Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) {
  const WebGpuMemory& mine = own(memory, *context_);
  check_range(mine, offset, bytes.size());
  if (mine.has_buffer()) {
    transfer_->write_buffer(mine, offset, bytes);
  } else {
    transfer_->write_texture(mine, bytes);
  }
}

void WebGpuDevice::read(const Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) {
  const WebGpuMemory& mine = own(memory, *context_);
  check_range(mine, offset, bytes.size());
  if (mine.has_buffer()) {
    transfer_->read_buffer(mine, offset, bytes);
  } else {
    transfer_->read_texture(mine, bytes);
  }
}

std::unique_ptr<PendingRead> WebGpuDevice::read_later(const Memory& memory, std::uint64_t offset, std::size_t size) {
  const WebGpuMemory& mine = own(memory, *context_);
  check_range(mine, offset, size);
  const bool are_words = offset % word_bytes == 0 && size % word_bytes == 0;
  if (!mine.has_buffer() || !are_words || size == 0 || size > LaterReads::most_bytes) {
    return Device::read_later(memory, offset, size);
  }
  return later_reads_->read(mine, offset, size);
}

void WebGpuDevice::fill_zero(Memory& memory, std::uint64_t offset, std::uint64_t size) {
  const WebGpuMemory& mine = own(memory, *context_);
  check_range(mine, offset, size);
  transfer_->fill_zero(mine, offset, size);
}

std::shared_ptr<Kernel> WebGpuDevice::compile(const shader::Module& module, const std::string& name) {
  check_workgroup_memory(module, name, facts_);  // wgpu-native does not look
  Signature signature = signature_of(module);
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    Parameter& parameter = signature.parameters[i];
    parameter.is_uniform = parameter.is_uniform && shader::is_wgsl_uniform(*module.resources[i]);
  }
  // A variant is emitted when a dispatch needs it, and the module is the caller's.
  const auto emit = [kept = std::make_shared<const shader::Module>(shader::clone(module)),
                     dialect = dialect_](const std::vector<BindingUse>& uses) {
    shader::WgslBindings bindings;
    for (const BindingUse& use : uses) {
      shader::WgslBinding& binding = bindings.emplace_back();
      binding.read_write = use.read_write;
      if (use.alias) binding.alias = static_cast<std::uint32_t>(*use.alias);
    }
    return shader::emit_wgsl(*kept, dialect, bindings);
  };
  return std::make_shared<WebGpuKernel>(context_, facts_, emit, shader::wgsl_kernel_name(module), name,
                                        std::move(signature), WebGpuKernel::FirstVariant::WhenNeeded);
}

std::shared_ptr<WebGpuKernel> WebGpuDevice::compile_source(WebGpuKernel::Source source, const std::string& entry_point,
                                                           std::string name, Signature signature) {
  return std::make_shared<WebGpuKernel>(context_, facts_, std::move(source), entry_point, std::move(name),
                                        std::move(signature), WebGpuKernel::FirstVariant::AtOnce);
}

std::shared_ptr<WebGpuKernel> WebGpuDevice::compile_source(std::string source, const std::string& entry_point,
                                                           std::string name, Signature signature) {
  const auto fixed = [source = std::move(source), name](const std::vector<BindingUse>& uses) {
    if (std::any_of(uses.begin(), uses.end(), [](const BindingUse& use) { return use != BindingUse{}; })) {
      throw Unsupported(fmt::format("The kernel '{}' is a fixed text, which cannot have its bindings meet.", name));
    }
    return source;
  };
  return compile_source(fixed, entry_point, std::move(name), std::move(signature));
}

std::unique_ptr<Recording> WebGpuDevice::record(std::vector<Dispatch> dispatches) {
  return std::make_unique<WebGpuRecording>(context_, facts_, std::move(dispatches));
}

void WebGpuDevice::submit(Recording& recording) { own(recording, *context_).submit(); }

std::vector<double> WebGpuDevice::submit_profiled(Recording& recording) {
  const WebGpuRecording& mine = own(recording, *context_);
  context_->check();
  std::vector<double> nanoseconds(mine.size(), 0.0);
  std::vector<std::size_t> dispatches;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (!mine.is_skipped(i)) dispatches.push_back(i);
  }
  if (context_->features.timestamps) {
    for (std::span<const std::size_t> rest = dispatches; !rest.empty();) {
      const std::size_t count = std::min<std::size_t>(rest.size(), most_queries / 2);
      profile(*context_, *transfer_, mine, rest.first(count), nanoseconds);
      rest = rest.subspan(count);
    }
    return nanoseconds;
  }
  finish();
  for (const std::size_t i : dispatches) {
    const auto start = std::chrono::steady_clock::now();
    const EncoderHandle encoder(context_->shared_api(),
                                context_->api().wgpuDeviceCreateCommandEncoder(context_->device.get(), nullptr));
    mine.encode(encoder.get(), i, nullptr);
    context_->submit(encoder.get());
    finish();
    nanoseconds[i] = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  }
  return nanoseconds;
}

void WebGpuDevice::finish() { context_->finish(); }

}  // namespace driftwood::gpu::webgpu
