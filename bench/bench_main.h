// The main function of a micro-benchmark.
#pragma once

#include <fmt/format.h>

#include <cstdio>

#include "base/error.h"

namespace driftwood::bench {

/// Runs it; an error is printed with the program's name, and is status 1.
inline int main_of(const char* program, int (*run)(int, char**), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    fmt::print(stderr, "{}: error: {}\n", program, error.what());
    return 1;
  }
}

}  // namespace driftwood::bench
