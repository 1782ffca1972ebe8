#include "gpu/opencl/opencl_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "gpu/opencl/facts.h"
#include "gpu/opencl/recording.h"
#include "gpu/opencl/status.h"
#include "tensor/layout.h"

namespace driftwood::gpu::opencl {
namespace {

const OpenClMemory& own(const Memory& memory, const Context& context) {
  const auto* mine = dynamic_cast<const OpenClMemory*>(&memory);
  if (mine == nullptr || &mine->context() != &context) {
    throw InvalidInput("A transfer has memory of another device.");
  }
  return *mine;
}

OpenClMemory& own(Memory& memory, const Context& context) {
  return const_cast<OpenClMemory&>(own(static_cast<const Memory&>(memory), context));
}

OpenClRecording& own(Recording& recording, const Context& context) {
  auto* mine = dynamic_cast<OpenClRecording*>(&recording);
  if (mine == nullptr || &mine->context() != &context) {
    throw InvalidInput("A recording of another device is submitted.");
  }
  return *mine;
}

void check_range(const OpenClMemory& memory, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t all = memory.bytes();
  if (offset > all || size > all - offset) {
    throw InvalidInput(fmt::format("{} bytes at offset {} exceed the {} bytes of the memory.", size, offset, all));
  }
  if (!memory.has_buffer() && (offset != 0 || size != all)) {
    throw InvalidInput(
        fmt::format("A texture of {} bytes is copied whole; {} bytes at offset {} are asked for.", all, size, offset));
  }
}

// A read with a look at whether joined launches before it came to their end.
class CheckedRead final : public PendingRead {
 public:
  CheckedRead(std::unique_ptr<PendingRead> read, std::unique_ptr<PendingRead> word, std::shared_ptr<JoinFault> fault)
      : read_(std::move(read)), word_(std::move(word)), fault_(std::move(fault)), launched_(fault_->launched()) {}

  std::span<const std::byte> wait() override {
    std::uint32_t word = 0;
    const std::span<const std::byte> bytes = word_->wait();
    std::memcpy(&word, bytes.data(), sizeof word);
    fault_->note(word, launched_);
    return read_->wait();
  }

 private:
  std::unique_ptr<PendingRead> read_, word_;
  std::shared_ptr<JoinFault> fault_;
  std::uint64_t launched_;
};

}  // namespace

OpenClDevice::OpenClDevice(const FoundDevice& found, ProgramCache cache)
    : context_(Context::open(found.platform.api, found.platform.platform, found.device)), cache_(std::move(cache)) {
  facts_ = query_facts(*context_, found.platform.platform);
  facts_.id = found.id;
  build_.device_key = fmt::format("{}\n{}\n{}", facts_.vendor, facts_.name, facts_.driver);
  probes_ = probe(*context_, build_.device_key, cache_);
  build_.options = probes_.language;
  build_.keeps_binaries = probes_.keeps_binaries;
  probes_.dialect.separate_bodies = facts_.is_cpu;
  facts_.has_f16_arithmetic = probes_.dialect.f16_arithmetic;
  facts_.has_subgroups = probes_.dialect.subgroups != shader::OpenClDialect::Subgroups::None;
  facts_.subgroup_size = probes_.subgroup_size;
  facts_.has_wide_dot = probes_.dialect.wide_dot;
  facts_.has_packed_dot = probes_.dialect.packed_dot != shader::OpenClDialect::PackedDot::None;
  facts_.has_matrices = probes_.dialect.matrices;
  facts_.pipeline_memory = probes_.pipeline_memory;
  facts_.joins_dispatches = probes_.dialect.subgroups == shader::OpenClDialect::Subgroups::NvidiaPtx;
  transfer_ = std::make_unique<Transfer>(context_, facts_.shares_host_memory);
  later_reads_ = std::make_unique<LaterReads>(context_, facts_.shares_host_memory);
}

OpenClDevice::~OpenClDevice() = default;

std::shared_ptr<Memory> OpenClDevice::allocate(const MemoryDescriptor& descriptor) {
  return std::make_shared<OpenClMemory>(context_, facts_, descriptor);
}

void OpenClDevice::write(Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) {
  OpenClMemory& mine = own(memory, *context_);
  check_range(mine, offset, bytes.size());
  if (mine.has_buffer()) {
    transfer_->write_buffer(mine, offset, bytes);
  } else {
    transfer_->write_texture(mine, bytes);
  }
}

void OpenClDevice::read(const Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) {
  const OpenClMemory& mine = own(memory, *context_);
  check_range(mine, offset, bytes.size());
  if (fault_) fault_->check();
  if (mine.has_buffer()) {
    transfer_->read_buffer(mine, offset, bytes);
  } else {
    transfer_->read_texture(mine, bytes);
  }
}

std::unique_ptr<PendingRead> OpenClDevice::read_later(const Memory& memory, std::uint64_t offset, std::size_t size) {
  const OpenClMemory& mine = own(memory, *context_);
  check_range(mine, offset, size);
  if (!mine.has_buffer()) return Device::read_later(memory, offset, size);
  std::unique_ptr<PendingRead> pending = later_reads_->read(mine.buffer(), offset, size);
  if (!fault_ || !fault_->is_unseen()) return pending;
  auto word = later_reads_->read(fault_->word(), 0, sizeof(std::uint32_t));
  return std::make_unique<CheckedRead>(std::move(pending), std::move(word), fault_);
}

void OpenClDevice::fill_zero(Memory& memory, std::uint64_t offset, std::uint64_t size) {
  OpenClMemory& mine = own(memory, *context_);
  check_range(mine, offset, size);
  if (size == 0) return;
  const Api& api = *context_->api;
  if (!mine.has_buffer()) {
    const std::array<std::size_t, 3> origin = {0, 0, 0};
    const MemoryDescriptor& descriptor = mine.descriptor();
    std::array<std::size_t, 3> region = {1, 1, 1};
    for (std::size_t i = 0; i < static_cast<std::size_t>(coordinate_count(descriptor.kind)); ++i) {
      region[i] = descriptor.extent[i];
    }
    const std::array<std::uint32_t, 4> zero = {};  // all bits zero is 0 for each of the colour types
    check(api.clEnqueueFillImage(context_->queue.get(), mine.image(), zero.data(), origin.data(), region.data(), 0,
                                 nullptr, nullptr),
          "Filling an image with zeros");
    return;
  }
  // A wider pattern is faster, but offset and size must be multiples of it.
  const std::uint64_t zeros[2] = {0, 0};
  const std::size_t pattern = (offset | size) % 16 == 0 ? 16 : (offset | size) % 4 == 0 ? 4 : 1;
  check(
      api.clEnqueueFillBuffer(context_->queue.get(), mine.buffer(), zeros, pattern, offset, size, 0, nullptr, nullptr),
      "Filling a buffer with zeros");
}

std::shared_ptr<Kernel> OpenClDevice::compile(const shader::Module& module, const std::string& name) {
  const std::string source = shader::emit_opencl(module, probes_.dialect);
  std::shared_ptr<const shader::OpenClBody> body;
  if (auto printed = shader::emit_opencl_body(module, probes_.dialect))
    body = std::make_shared<const shader::OpenClBody>(std::move(*printed));
  return compile_source(source, shader::opencl_kernel_name(module), name, signature_of(module), std::move(body));
}

std::shared_ptr<Kernel> OpenClDevice::compile_source(const std::string& source, const std::string& entry_point,
                                                     std::string name, Signature signature,
                                                     std::shared_ptr<const shader::OpenClBody> body) {
  const auto& size = signature.workgroup_size;
  const std::uint64_t threads = std::uint64_t{size[0]} * size[1] * size[2];
  if (threads == 0 || threads > facts_.max_workgroup_size) {
    throw InvalidInput(
        fmt::format("The kernel '{}' asks for a workgroup of {} x {} x {} = {} invocations; the device "
                    "'{}' allows {}.",
                    name, size[0], size[1], size[2], threads, facts_.id, facts_.max_workgroup_size));
  }
  return std::make_shared<OpenClKernel>(context_, built(source, name), entry_point, name, std::move(signature),
                                        std::move(body));
}

SharedProgram OpenClDevice::built(const std::string& source, std::string_view name) {
  SharedProgram program = programs_[source].lock();
  if (!program) {
    program = std::make_shared<const ProgramHandle>(build_program(*context_, build_, cache_, source, name));
    programs_[source] = program;
  }
  return program;
}

std::unique_ptr<Recording> OpenClDevice::record(std::vector<Dispatch> dispatches) {
  return std::make_unique<OpenClRecording>(context_, facts_, std::move(dispatches));
}

JoinSettings OpenClDevice::join_settings() const {
  JoinSettings settings;
  if (probes_.dialect.subgroups == shader::OpenClDialect::Subgroups::NvidiaPtx) {
    settings.dialect.ptx = true;
    settings.workgroups.clear();
    for (std::uint32_t each = 4; each != 0; each /= 2) settings.workgroups.push_back(each * facts_.compute_units);
  }
  return settings;
}

std::unique_ptr<Recording> OpenClDevice::record_joined(std::vector<Dispatch> dispatches) {
  return record_joined(std::move(dispatches), join_settings());
}

std::unique_ptr<JoinedRecording> OpenClDevice::record_joined(std::vector<Dispatch> dispatches,
                                                             const JoinSettings& settings) {
  if (!fault_) fault_ = std::make_shared<JoinFault>(context_);
  return std::make_unique<JoinedRecording>(
      context_, facts_, std::move(dispatches), settings, fault_,
      [this](const std::string& source) { return built(source, "joined kernels"); });
}

void OpenClDevice::submit(Recording& recording) { own(recording, *context_).enqueue(context_->queue.get()); }

std::vector<double> OpenClDevice::submit_profiled(Recording& recording) {
  OpenClRecording& mine = own(recording, *context_);
  const Api& api = *context_->api;
  if (!profiling_queue_) {
    cl_int status = CL_SUCCESS;
    profiling_queue_ = QueueHandle(context_->api, api.clCreateCommandQueue(context_->context.get(), context_->device,
                                                                           CL_QUEUE_PROFILING_ENABLE, &status));
    check(status, "The creation of a profiling queue");
  }
  finish();  // the two queues know nothing of each other's order
  std::vector<EventHandle> events;
  events.reserve(mine.size());
  mine.enqueue(profiling_queue_.get(), &events);
  check(api.clFinish(profiling_queue_.get()), "Waiting for profiled kernels");
  std::vector<double> nanoseconds;
  nanoseconds.reserve(events.size());
  for (const EventHandle& event : events) {
    cl_ulong start = 0, end = 0;
    if (event) {
      check(api.clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr),
            "The question for a kernel's time");
      check(api.clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
            "The question for a kernel's time");
    }
    nanoseconds.push_back(end > start ? static_cast<double>(end - start) : 0.0);
  }
  return nanoseconds;
}

void OpenClDevice::finish() {
  check(context_->api->clFinish(context_->queue.get()), "Waiting for the device");
  transfer_->release_pending();
  if (fault_) fault_->check();
}

}  // namespace driftwood::gpu::opencl
