// What is to go when the tests of a program have run, before main ends: drivers clear away their own parts when the
// process exits, in an order of their own and while their threads still run, so devices must be gone by then.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

namespace driftwood::test {

class BeforeExit : public ::testing::Environment {
 public:
  void TearDown() override {
    while (!calls_.empty()) {
      calls_.back()();
      calls_.pop_back();
    }
  }
  void add(std::function<void()> call) { calls_.push_back(std::move(call)); }

 private:
  std::vector<std::function<void()>> calls_;
};
inline auto* const before_exit_calls = new BeforeExit;
inline const ::testing::Environment* const before_exit_environment =
    ::testing::AddGlobalTestEnvironment(before_exit_calls);  // which owns it

/// Calls it after the last test of the program, those first that were added last.
inline void before_exit(std::function<void()> call) { before_exit_calls->add(std::move(call)); }

}  // namespace driftwood::test
