// A thread of control that is switched to and from by hand: an invocation of a kernel that waits at a barrier.
#pragma once

#include <cstddef>
#include <memory>

namespace driftwood::test {

class Fiber {
 public:
  using Main = void (*)(void* argument);

  /// `main` must never return. Its stack is 256 KiB with an unreadable page at its end.
  Fiber(Main main, void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Goes on where the fiber left off, until it calls leave(). Called outside of fibers.
  void enter();
  /// Back to where enter() was called. Called inside of the fiber.
  void leave();
  /// The next enter() starts `main` anew. What was on the stack is forgotten, no destructors run.
  void restart();

 private:
  struct State;
  Main main_;
  void* argument_;
  std::unique_ptr<State> state_;
};

}  // namespace driftwood::test
