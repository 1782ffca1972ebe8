#include "support/metal_cpu/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DRIFTWOOD_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define DRIFTWOOD_ADDRESS_SANITIZER
#endif
#if defined(DRIFTWOOD_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace driftwood::test {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10;

class Stack {
 public:
  Stack() : guard_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    base_ =
        mmap(nullptr, stack_bytes + guard_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base_ == MAP_FAILED || mprotect(base_, guard_, PROT_NONE) != 0) throw std::bad_alloc();
  }
  ~Stack() { munmap(base_, stack_bytes + guard_); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  std::byte* low() const { return static_cast<std::byte*>(base_) + guard_; }
  /// Forgets the functions that were left for good, whose variables a sanitizer still guards.
  void forget() {
#if defined(DRIFTWOOD_ADDRESS_SANITIZER)
    __asan_unpoison_memory_region(low(), stack_bytes);
#endif
  }

 private:
  std::size_t guard_;
  void* base_;
};

}  // namespace

#if defined(__x86_64__)

// Saves what a called function must keep, and the stack; goes on with another stack. A system call a switch, as
// swapcontext makes, would cost more than most of what kernels do between barriers.
extern "C" void driftwood_test_switch_stack(void** save, void* load);
asm(R"(
.text
.globl driftwood_test_switch_stack
.type driftwood_test_switch_stack, @function
driftwood_test_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.globl driftwood_test_start_fiber
.type driftwood_test_start_fiber, @function
driftwood_test_start_fiber:
  movq %r12, %rdi
  callq *%r13
  ud2
)");
extern "C" void driftwood_test_start_fiber();

struct Fiber::State {
  Stack stack;
  void* outside = nullptr;
  void* inside = nullptr;
};

void Fiber::restart() {
  state_->stack.forget();
  // As driftwood_test_switch_stack leaves a stack: six registers and where to go.
  auto* top = reinterpret_cast<std::uintptr_t*>(state_->stack.low() + stack_bytes) - 2;
  *--top = reinterpret_cast<std::uintptr_t>(&driftwood_test_start_fiber);
  *--top = 0;                                            // rbp
  *--top = 0;                                            // rbx
  *--top = reinterpret_cast<std::uintptr_t>(argument_);  // r12
  *--top = reinterpret_cast<std::uintptr_t>(main_);      // r13
  *--top = 0;                                            // r14
  *--top = 0;                                            // r15
  state_->inside = top;
}

void Fiber::enter() { driftwood_test_switch_stack(&state_->outside, state_->inside); }
void Fiber::leave() { driftwood_test_switch_stack(&state_->inside, state_->outside); }

#else

struct Fiber::State {
  Stack stack;
  ucontext_t outside{};
  ucontext_t inside{};
};

namespace {

// makecontext passes ints alone.
void start(unsigned main_high, unsigned main_low, unsigned argument_high, unsigned argument_low) {
  const auto join = [](unsigned high, unsigned low) {
    return static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low);
  };
  reinterpret_cast<Fiber::Main>(join(main_high, main_low))(reinterpret_cast<void*>(join(argument_high, argument_low)));
}

}  // namespace

void Fiber::restart() {
  state_->stack.forget();
  getcontext(&state_->inside);
  state_->inside.uc_stack.ss_sp = state_->stack.low();
  state_->inside.uc_stack.ss_size = stack_bytes;
  state_->inside.uc_link = nullptr;
  const auto main = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(main_));
  const auto argument = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(argument_));
  makecontext(&state_->inside, reinterpret_cast<void (*)()>(&start), 4, static_cast<unsigned>(main >> 32),
              static_cast<unsigned>(main), static_cast<unsigned>(argument >> 32), static_cast<unsigned>(argument));
}

void Fiber::enter() { swapcontext(&state_->outside, &state_->inside); }
void Fiber::leave() { swapcontext(&state_->inside, &state_->outside); }

#endif

Fiber::Fiber(Main main, void* argument) : main_(main), argument_(argument), state_(std::make_unique<State>()) {
  restart();
}
Fiber::~Fiber() = default;

}  // namespace driftwood::test
