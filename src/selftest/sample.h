// Which cases of the conformance suite a self-test runs.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case.h"
#include "graph/lowering.h"

namespace driftwood::selftest {

/// Whose kernels are tested.
enum class Scope : std::uint8_t { Language, Images, Everything };
std::string_view to_string(Scope scope);

/// A case with its graph.
struct Candidate {
  conformance::Case its_case;
  conformance::Problem sketch;
  unsigned seed = 0;
};

/// A case as the device would run it.
struct Planned {
  std::size_t candidate = 0;
  std::vector<std::string> kernels = {};  // rows of the selection, each once, in order
  std::set<std::string> cells = {};       // "row package::module": what the case covers
  std::string key = {};                   // equal keys, equal code
};

/// The cases of a scope: those that the conformance suite runs where kernels are slow to compile, in buffers alone.
/// `full`: in every storage, and enough others that each kernel of the device meets each format of weights or caches,
/// each storage and each type of activations that it has cases with.
std::vector<conformance::Case> cases_of(Scope scope, bool full, const gpu::DeviceFacts& facts);

/// Cases as a device with these facts stores them.
std::vector<Candidate> candidates(const std::vector<conformance::Case>& cases, const gpu::DeviceFacts& facts);

/// How the device runs a candidate; nothing where it has no kernel for it.
std::optional<Planned> plan(const std::vector<Candidate>& candidates, std::size_t index, const gpu::DeviceFacts& facts);

/// The plans of cases so that each kernel of a row and each helper of it is in one of them; those of `always` too.
/// `full`: all cases.
std::vector<Planned> covering_sample(const std::vector<Candidate>& candidates, const gpu::DeviceFacts& facts, bool full,
                                     const std::set<std::size_t>& always);

}  // namespace driftwood::selftest
