// How a reader refuses a file: the message, and what it cost.
#pragma once

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

#include "base/error.h"

namespace driftwood::testing {

struct Refusal {
  std::string message;  // empty where nothing was thrown
  double seconds = 0;
  long long resident_growth = 0;  // bytes
};

inline long long resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  long long total = 0, resident = 0;
  statm >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

/// Calls and reports the library error thrown; any other exception passes and fails the test.
template <typename Call>
Refusal refusal_of(const Call& call) {
  Refusal refusal;
  const long long before = resident_bytes();
  const auto start = std::chrono::steady_clock::now();
  try {
    call();
  } catch (const Error& error) {
    refusal.message = error.what();
  }
  refusal.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  refusal.resident_growth = resident_bytes() - before;
  return refusal;
}

}  // namespace driftwood::testing
