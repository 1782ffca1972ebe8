// Runs the threadgroups of a compiled kernel, one after another: each invocation that waits is a fiber. A barrier or a
// function of a simdgroup that not all reach is a fault, and so is an access that the kernel itself finds wrong.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/metal_cpu/fiber.h"
#include "support/metal_cpu/include/metal_cpu/abi.h"

namespace driftwood::test {

class Threadgroups {
 public:
  Threadgroups();

  /// What kernels that run here call.
  metal_cpu::Runtime* runtime() { return &runtime_; }

  /// Between barriers invocations run from first to last and from last to first in turn, so that a barrier that is
  /// missing shows. Threadgroup memory holds NaN before each group. Throws InternalError at a fault; `where` begins
  /// its message.
  void run(const metal_cpu::Program& program, const metal_cpu::Arguments& arguments,
           const std::array<std::uint32_t, 3>& extent, const std::array<std::uint32_t, 3>& groups,
           const std::string& where);

 private:
  enum class State : std::uint8_t { New, Running, Barrier, Exchange, Done };
  struct Invocation {
    metal_cpu::Invocation id = {};
    State state = State::New;
    const char* operation = nullptr;  // Exchange
    int line = 0;                     // Barrier, Exchange
    unsigned exchanges = 0;
    Fiber* fiber = nullptr;
  };
  using Slots = std::array<unsigned char, std::size_t{metal_cpu::simd_width} * metal_cpu::slot_bytes>;

  static void barrier(int line);
  static const unsigned char* exchange(const void* value, unsigned size, const char* operation, int line);
  static void fail(const char* message, int line);
  static void fiber_main(void* self);

  void prepare(const std::array<std::uint32_t, 3>& extent, const std::array<std::uint32_t, 3>& groups);
  void run_group();
  Invocation* next_new();
  void resume(Invocation& invocation);
  void wait();  // leaves the fiber of the current invocation
  bool release();
  std::string describe_divergence() const;

  metal_cpu::Runtime runtime_;
  std::vector<Invocation> invocations_;
  std::vector<std::array<Slots, 2>> slots_;  // by simdgroup, in turn
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  Invocation* current_ = nullptr;
  std::size_t started_ = 0;
  bool backwards_ = false;
  std::string fault_;
  const metal_cpu::Program* program_ = nullptr;
  const metal_cpu::Arguments* arguments_ = nullptr;
};

}  // namespace driftwood::test
