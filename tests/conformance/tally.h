// What the cases came to, machine by machine: printed when the tests have ended.
#pragma once

#include <map>
#include <string>

#include "conformance/machines.h"

namespace driftwood::test {

struct Tally {
  std::size_t right = 0, wrong = 0;
  std::map<std::string, std::size_t> refused = {};  // by reason

  std::size_t unsupported() const;
  std::size_t cases() const { return right + wrong + unsupported(); }
};

/// Of a machine in this process.
Tally& tally_of(const Machine& machine);

/// "opencl:0 as cpu (NAME): 380 cases, 372 right, 0 wrong, 8 refused: 8 x The device has no image buffers."
std::string summary(const Machine& machine, const Tally& tally);

}  // namespace driftwood::test
