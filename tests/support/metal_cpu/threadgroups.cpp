#include "support/metal_cpu/threadgroups.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace driftwood::test {
namespace {

thread_local Threadgroups* active = nullptr;

}  // namespace

Threadgroups::Threadgroups() : runtime_{&barrier, &exchange, &fail, nullptr} {}

void Threadgroups::barrier(int line) {
  active->current_->state = State::Barrier;
  active->current_->line = line;
  active->wait();
}

const unsigned char* Threadgroups::exchange(const void* value, unsigned size, const char* operation, int line) {
  Invocation& self = *active->current_;
  Slots& slots = active->slots_[self.id.simdgroup][self.exchanges++ % 2];
  if (size > 0) std::memcpy(slots.data() + std::size_t{self.id.lane} * metal_cpu::slot_bytes, value, size);
  self.state = State::Exchange;
  self.operation = operation;
  self.line = line;
  active->wait();
  return slots.data();
}

void Threadgroups::fail(const char* message, int line) {
  active->fault_ = (line > 0 ? "line " + std::to_string(line) + ": " : std::string()) + message;
  active->wait();  // for good
}

void Threadgroups::wait() {
  Invocation& self = *current_;
  self.fiber->leave();
}

// A fiber runs one invocation after another, as long as they wait for nothing.
void Threadgroups::fiber_main(void* self) {
  auto& group = *static_cast<Threadgroups*>(self);
  for (;;) {
    Fiber* fiber = group.current_->fiber;
    group.program_->entry(*group.arguments_, group.current_->id);
    group.current_->state = State::Done;
    if (Invocation* next = group.next_new()) {
      next->fiber = fiber;
      next->state = State::Running;
      group.current_ = next;
      group.runtime_.invocation = &next->id;
      continue;
    }
    group.idle_.push_back(fiber);
    fiber->leave();
  }
}

Threadgroups::Invocation* Threadgroups::next_new() {
  if (started_ == invocations_.size()) return nullptr;
  const std::size_t i = started_++;
  return &invocations_[backwards_ ? invocations_.size() - 1 - i : i];
}

void Threadgroups::resume(Invocation& invocation) {
  current_ = &invocation;
  runtime_.invocation = &invocation.id;
  invocation.state = State::Running;
  invocation.fiber->enter();
}

void Threadgroups::prepare(const std::array<std::uint32_t, 3>& extent, const std::array<std::uint32_t, 3>& groups) {
  const std::uint32_t count = extent[0] * extent[1] * extent[2];
  const std::uint32_t simdgroups = (count + metal_cpu::simd_width - 1) / metal_cpu::simd_width;
  invocations_.assign(count, {});
  slots_.resize(simdgroups);
  for (std::uint32_t i = 0; i < count; ++i) {
    metal_cpu::Invocation& id = invocations_[i].id;
    id.index = i;
    id.position[0] = i % extent[0];
    id.position[1] = i / extent[0] % extent[1];
    id.position[2] = i / extent[0] / extent[1];
    std::copy_n(extent.begin(), 3, id.group_extent);
    std::copy_n(groups.begin(), 3, id.groups);
    id.lane = i % metal_cpu::simd_width;
    id.simdgroup = i / metal_cpu::simd_width;
    id.simdgroups = simdgroups;
    id.lanes = std::min(metal_cpu::simd_width, count - id.simdgroup * metal_cpu::simd_width);
  }
}

// Lets those go on whose wait is over; false: there are none.
bool Threadgroups::release() {
  bool released = false;
  for (std::size_t first = 0; first < invocations_.size(); first += metal_cpu::simd_width) {
    const Invocation& one = invocations_[first];
    const auto begin = invocations_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(one.id.lanes);
    if (!std::all_of(begin, end, [&](const Invocation& other) {
          return other.state == State::Exchange && other.operation == one.operation && other.line == one.line;
        })) {
      continue;
    }
    for (auto it = begin; it != end; ++it) it->state = State::Running;
    released = true;
  }
  if (released) return true;
  if (std::all_of(invocations_.begin(), invocations_.end(), [&](const Invocation& other) {
        return other.state == State::Barrier && other.line == invocations_.front().line;
      })) {
    for (Invocation& invocation : invocations_) invocation.state = State::Running;
    return true;
  }
  return false;
}

std::string Threadgroups::describe_divergence() const {
  const Invocation& waiting = *std::find_if(invocations_.begin(), invocations_.end(),
                                            [](const Invocation& one) { return one.state != State::Done; });
  const bool is_barrier = waiting.state == State::Barrier;
  const std::string name = is_barrier ? "threadgroup_barrier" : waiting.operation;
  const auto here = std::count_if(invocations_.begin(), invocations_.end(), [&](const Invocation& one) {
    return one.state == waiting.state && one.line == waiting.line &&
           (is_barrier || one.id.simdgroup == waiting.id.simdgroup);
  });
  const std::size_t all = is_barrier ? invocations_.size() : waiting.id.lanes;
  return "line " + std::to_string(waiting.line) + ": " + name + " is reached by " + std::to_string(here) + " of " +
         std::to_string(all) + " invocations of the " + (is_barrier ? "threadgroup." : "simdgroup.");
}

void Threadgroups::run_group() {
  for (Invocation& invocation : invocations_) {
    invocation.state = State::New;
    invocation.exchanges = 0;
  }
  started_ = 0;
  while (fault_.empty()) {
    Invocation* first = next_new();
    if (!first) break;
    if (idle_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>(&fiber_main, this));
      idle_.push_back(fibers_.back().get());
    }
    first->fiber = idle_.back();
    idle_.pop_back();
    resume(*first);
  }
  while (fault_.empty()) {
    const bool is_done = std::all_of(invocations_.begin(), invocations_.end(),
                                     [](const Invocation& one) { return one.state == State::Done; });
    if (is_done) return;
    if (!release()) {
      fault_ = describe_divergence();
      return;
    }
    backwards_ = !backwards_;
    for (std::size_t i = 0; i < invocations_.size() && fault_.empty(); ++i) {
      Invocation& next = invocations_[backwards_ ? invocations_.size() - 1 - i : i];
      if (next.state == State::Running) resume(next);
    }
  }
}

void Threadgroups::run(const metal_cpu::Program& program, const metal_cpu::Arguments& arguments,
                       const std::array<std::uint32_t, 3>& extent, const std::array<std::uint32_t, 3>& groups,
                       const std::string& where) {
  program_ = &program;
  arguments_ = &arguments;
  active = this;
  backwards_ = false;
  fault_.clear();
  prepare(extent, groups);
  for (std::uint32_t z = 0; z < groups[2]; ++z) {
    for (std::uint32_t y = 0; y < groups[1]; ++y) {
      for (std::uint32_t x = 0; x < groups[0]; ++x) {
        for (Invocation& invocation : invocations_) {
          invocation.id.group[0] = x;
          invocation.id.group[1] = y;
          invocation.id.group[2] = z;
        }
        if (program.shared_bytes > 0) std::memset(program.shared, 0xFF, program.shared_bytes);
        run_group();
        if (fault_.empty()) continue;
        idle_.clear();
        for (const auto& fiber : fibers_) {
          fiber->restart();
          idle_.push_back(fiber.get());
        }
        throw InternalError(where + ", " + fault_);
      }
    }
  }
}

}  // namespace driftwood::test
