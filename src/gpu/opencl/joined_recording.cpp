#include "gpu/opencl/joined_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/log.h"
#include "gpu/opencl/addresses.h"
#include "gpu/opencl/memory.h"
#include "gpu/opencl/status.h"

namespace driftwood::gpu::opencl {
namespace {

// A part of a buffer.
struct Range {
  const Memory* memory;
  std::uint64_t begin, end;

  bool meets(const Range& other) const { return memory == other.memory && begin < other.end && other.begin < end; }
};

Range range_of(const Binding& binding) {
  const std::uint64_t all = static_cast<const OpenClMemory&>(*binding.memory).bytes();
  return {binding.memory.get(), binding.offset, binding.size == 0 ? all : binding.offset + binding.size};
}

const OpenClKernel& kernel_of(const Dispatch& dispatch) { return static_cast<const OpenClKernel&>(*dispatch.kernel); }

}  // namespace

JoinedRecording::JoinedRecording(std::shared_ptr<Context> context, const DeviceFacts& facts,
                                 std::vector<Dispatch> dispatches, const JoinSettings& settings,
                                 std::shared_ptr<JoinFault> fault, const BuildProgram& build)
    : OpenClRecording(std::move(context), facts, std::move(dispatches)),
      fault_(std::move(fault)),
      looks_(settings.looks),
      absent_(settings.absent) {
  try {
    if (!join(settings, build)) workgroups_ = 0;
  } catch (const Error& error) {
    // What a driver says of a program this large is no reason not to run its kernels one by one.
    log(LogLevel::Info, fmt::format("{} kernels run as launches of their own: {}", size(), error.what()));
    workgroups_ = 0;
  }
}

JoinedRecording::~JoinedRecording() {
  for (const auto& [event, words] : writes_) {  // they still read the words
    const cl_event raw = event.get();
    context().api->clWaitForEvents(1, &raw);
  }
}

bool JoinedRecording::reads_early_what_is_written() const {
  std::vector<Range> early, written;
  for (const Command& command : commands()) {
    const OpenClKernel& kernel = kernel_of(command.dispatch);
    for (std::size_t i = 0; i < command.dispatch.bindings.size(); ++i) {
      const Range range = range_of(command.dispatch.bindings[i]);
      if (kernel.signature().parameters[i].writes) written.push_back(range);
      if (kernel.body()->is_early[i]) early.push_back(range);
    }
  }
  return std::ranges::any_of(
      early, [&](const Range& a) { return std::ranges::any_of(written, [&](const Range& b) { return a.meets(b); }); });
}

bool JoinedRecording::join(const JoinSettings& settings, const BuildProgram& build) {
  std::vector<const shader::OpenClBody*> bodies;
  std::map<std::string_view, std::uint32_t> known;  // by text
  std::vector<std::uint32_t> body_of;
  for (const Command& command : commands()) {
    const auto& body = kernel_of(command.dispatch).body();
    if (!body) return false;
    const auto [at, is_new] = known.try_emplace(body->source, static_cast<std::uint32_t>(bodies.size()));
    if (is_new) bodies.push_back(body.get());
    body_of.push_back(at->second);
  }
  if (commands().size() < 2 || !can_join(bodies, settings.dialect) || reads_early_what_is_written()) return false;
  program_ = opencl::join(bodies, settings.dialect);
  const SharedProgram built = build(program_.source);
  cl_int status = CL_SUCCESS;
  kernel_ = KernelHandle(context().api, context().api->clCreateKernel(built->get(), "run_stages", &status));
  check(status, "The creation of a kernel of several");
  allocate();
  fill_rows(body_of, build);
  for (const std::uint32_t workgroups : settings.workgroups) {
    if (!meet(workgroups)) continue;
    workgroups_ = workgroups;
    return true;
  }
  return false;
}

void JoinedRecording::allocate() {
  const auto zeroed = [&](std::size_t words) {
    const Words zeroes(words, 0);
    cl_int status = CL_SUCCESS;
    MemHandle memory(context().api,
                     context().api->clCreateBuffer(context().context.get(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                                   words * sizeof(std::uint32_t),
                                                   const_cast<std::uint32_t*>(zeroes.data()), &status));
    check(status, fmt::format("The allocation of {} words for a launch of several kernels", words));
    return memory;
  };
  table_ = zeroed(size() * program_.layout.words());
  for (MemHandle& each : counters_) each = zeroed(size() * counter_words);
}

void JoinedRecording::fill_rows(const std::vector<std::uint32_t>& body_of, const BuildProgram& build) {
  std::vector<OpenClMemory*> memories;
  for (const Command& command : commands()) {
    for (const Binding& binding : command.dispatch.bindings)
      memories.push_back(static_cast<OpenClMemory*>(binding.memory.get()));
  }
  const std::map<const OpenClMemory*, std::uint64_t> addresses = addresses_of(context(), memories, build);
  const StageLayout& layout = program_.layout;
  for (std::size_t i = 0; i < size(); ++i) {
    const Command& command = commands()[i];
    Words row(layout.words(), 0);
    row[StageLayout::body] = body_of[i];
    for (std::size_t k = 0; k < command.dispatch.bindings.size(); ++k) {
      const Binding& binding = command.dispatch.bindings[k];
      const std::uint64_t address =
          addresses.at(static_cast<const OpenClMemory*>(binding.memory.get())) + binding.offset;
      row[StageLayout::arguments + 2 * k] = static_cast<std::uint32_t>(address);
      row[StageLayout::arguments + 2 * k + 1] = static_cast<std::uint32_t>(address >> 32);
    }
    for (std::size_t k = 0; k < command.lengths.size(); ++k) row[layout.length(k)] = command.lengths[k];
    rows_.push_back(std::move(row));
  }
}

// Two stages without a group, of which the second waits for every group of the first: those that are launched.
bool JoinedRecording::meet(std::uint32_t workgroups) {
  const std::size_t words = program_.layout.words();
  Words stages(2 * words, 0);
  stages[StageLayout::workers] = workgroups;
  stages[words + StageLayout::awaited] = workgroups;
  stages[words + StageLayout::body] = stages[StageLayout::body] = StageLayout::only_wait;
  write(std::move(stages));
  constexpr std::uint32_t few_looks = 20'000;  // nothing else runs meanwhile, or it may as well not be joined
  launch(context().queue.get(), 2, workgroups, std::min(looks_, few_looks));
  const bool met = !fault_->look();
  // Neither set of counters is what a program expects after one that gave up.
  const cl_uint zero = 0;
  for (const MemHandle& each : counters_) {
    check(context().api->clEnqueueFillBuffer(context().queue.get(), each.get(), &zero, sizeof zero, 0,
                                             size() * counter_words * sizeof zero, 0, nullptr, nullptr),
          "Filling a buffer with zeros");
  }
  return met;
}

// A program counts the workgroups of a stage in 32 bits, and steps over the last of them.
bool JoinedRecording::fits_table() const {
  constexpr std::uint64_t most = 1U << 31;
  return std::ranges::all_of(commands(), [](const Command& command) {
    std::uint64_t groups = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      groups *= command.global[k] / command.local[k];
      if (groups > most) return false;
    }
    return true;
  });
}

JoinedRecording::Words JoinedRecording::table() {
  Words words;
  stages_ = 0;
  std::uint32_t before = 0;  // workgroups with work in the stage before
  for (std::size_t i = 0; i < size(); ++i) {
    const Command& command = commands()[i];
    if (command.global[0] == 0) continue;
    Words row = rows_[i];
    std::uint64_t groups = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      row[StageLayout::grid + k] = static_cast<std::uint32_t>(command.global[k] / command.local[k]);
      groups *= row[StageLayout::grid + k];
    }
    row[StageLayout::groups] = static_cast<std::uint32_t>(groups);
    row[StageLayout::awaited] = before == 0 ? 0 : before + absent_;
    before = static_cast<std::uint32_t>(std::min<std::uint64_t>(groups, workgroups_));
    row[StageLayout::workers] = before;
    words.insert(words.end(), row.begin(), row.end());
    ++stages_;
  }
  return words;
}

void JoinedRecording::write(Words words) {
  const Api& api = *context().api;
  constexpr std::size_t most_writes = 4;
  while (writes_.size() >= most_writes) {
    const cl_event raw = writes_.front().first.get();
    check(api.clWaitForEvents(1, &raw), "Waiting for a copy to the device");
    writes_.pop_front();
  }
  auto& [event, kept] = writes_.emplace_back(EventHandle(), std::move(words));
  cl_event raw = nullptr;
  check(api.clEnqueueWriteBuffer(context().queue.get(), table_.get(), CL_FALSE, 0, kept.size() * sizeof(std::uint32_t),
                                 kept.data(), 0, nullptr, &raw),
        "A write to the device");
  event = EventHandle(context().api, raw);
}

void JoinedRecording::launch(cl_command_queue queue, std::uint32_t stages, std::uint32_t workgroups,
                             std::uint32_t looks) {
  const Api& api = *context().api;
  const cl_mem table = table_.get(), fault = fault_->word();
  const cl_mem counters = counters_[next_counters_].get(), spare = counters_[1 - next_counters_].get();
  const auto words = static_cast<cl_uint>(size() * counter_words);
  cl_uint index = 0;
  const auto set = [&]<class Value>(const Value& value) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): a cl_mem is a pointer
    check(api.clSetKernelArg(kernel_.get(), index++, sizeof(Value), &value), "Setting an argument of joined kernels");
  };
  set(table);
  set(cl_uint{stages});
  set(counters);
  set(spare);
  set(words);
  set(fault);
  set(cl_uint{looks});
  const std::size_t local = program_.workgroup_size, global = local * workgroups;
  check(api.clEnqueueNDRangeKernel(queue, kernel_.get(), 1, nullptr, &global, &local, 0, nullptr, nullptr),
        "The launch of joined kernels");
  check(api.clFlush(queue), "Flushing the queue");
  next_counters_ = 1 - next_counters_;
  fault_->note_launch();
}

void JoinedRecording::set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) {
  OpenClRecording::set_workgroups(dispatch, workgroups);
  is_table_old_ = true;
}

void JoinedRecording::enqueue(cl_command_queue queue, std::vector<EventHandle>* events) {
  if (is_table_old_) fits_table_ = fits_table();
  if (events != nullptr || workgroups_ == 0 || !fits_table_ || fault_->has_happened()) {
    OpenClRecording::enqueue(queue, events);
    return;
  }
  if (is_table_old_) {
    Words words = table();
    if (stages_ != 0) write(std::move(words));
    is_table_old_ = false;
  }
  if (stages_ != 0) launch(queue, stages_, workgroups_, looks_);
}

}  // namespace driftwood::gpu::opencl
