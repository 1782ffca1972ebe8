// A case on a device: whether it can be run there, by which kernels, and whether the numbers are right.
//
//   conformance::Subject subject{device, std::make_shared<graph::KernelCache>(device, kernels::source)};
//   for (const Case& each : conformance::covering_sample(all_cases(), device.facts(), Coverage::Kernels)) {
//     const Verdict verdict = conformance::check(subject, each, seed);
//     if (verdict.judgement == Judgement::Wrong) ... verdict.message
//   }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/case.h"

namespace driftwood::conformance {

/// What a case is on a device, from its facts alone: nothing is compiled and no result is computed.
struct Choice {
  std::string refusal = {};               // why the device cannot run it, or nothing
  bool has_memory = true;                 // whether it has the kind of memory for it
  std::vector<std::string> kernels = {};  // names of the rows of the selection table, each once
  double work = 0;                        // arithmetic operations, about
  std::size_t dispatches = 0;
};
Choice choice_of(const Case& c, const gpu::DeviceFacts& facts);

enum class Judgement : std::uint8_t {
  Right,
  Wrong,        // wrong numbers, memory written that was not to be, or a failure
  Unsupported,  // the device has not what the case needs
};
std::string_view to_string(Judgement judgement);

struct Verdict {
  Judgement judgement = Judgement::Right;
  std::string message = {};  // what is wrong, or why it is not supported
  /// What it computed, for difference(); empty unless it ran.
  Outcome outcome = {};
};

/// Runs a case and compares it with its computation in double precision. Throws nothing that a device throws, except
/// DeviceLost: nothing more can be asked of it.
Verdict check(const Subject& subject, const Case& c, unsigned seed);
/// The same of a problem that is made already.
Verdict check(const Subject& subject, const Case& c, const Problem& problem);

/// What a sample is to have at least one case of.
enum class Coverage : std::uint8_t {
  Kernels,  // each kernel of each operation
  Kinds,    // each kernel with each storage kind, and with each type of activations; each operation with each packed
            // format
  Cells,    // each kernel with each storage kind and type of activations together; each operation as above
  Packed,   // those, and each kernel with each format of weights or caches
};

/// Few and cheap cases that cover what the facts of a device let it run of `cases`, in their order.
std::vector<Case> covering_sample(const std::vector<Case>& cases, const gpu::DeviceFacts& facts, Coverage coverage);

}  // namespace driftwood::conformance
