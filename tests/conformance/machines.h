// The devices that the conformance suite runs on: every one of this computer, and the reference device as three.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "conformance/check.h"

namespace driftwood::test {

/// A device and the family of kernels that it is made to take: "cpu" (one invocation a group, wide vectors) or "gpu";
/// of the reference device also "small_gpu", which has the least that is found in practice.
struct Machine {
  std::string device, family;
  bool is_reference() const { return device == "reference"; }
  bool operator<(const Machine& other) const { return std::tie(device, family) < std::tie(other.device, other.family); }
};

std::string to_string(const Machine& machine);
void PrintTo(const Machine& machine, std::ostream* stream);

/// The reference device; those that a computer without a GPU has once its packages are installed, whether they are
/// there or not; and whatever else is there. The family of CPUs only where the language has wide vectors.
std::vector<Machine> machines();

/// Opened once; null where this computer has no such device.
const conformance::Subject* subject(const Machine& machine);

/// Whether every case is to be run on every machine ($DRIFTWOOD_CONFORMANCE is "all"), or a sample on most.
bool runs_everything();

/// The cases that are run on a machine. $DRIFTWOOD_CONFORMANCE_SHARE "I/N" leaves every Nth from the Ith on, so that N
/// processes have as much to do each.
const std::vector<conformance::Case>& cases_of(const Machine& machine);

/// Every problem has random contents; another seed ($DRIFTWOOD_TEST_SEED) gives others.
unsigned seed();

}  // namespace driftwood::test
