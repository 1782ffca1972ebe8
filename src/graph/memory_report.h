// Where the memory of a program goes, in bytes.
#pragma once

#include <cstdint>

namespace driftwood::graph {

struct MemoryReport {
  std::uint64_t weights = 0;
  std::uint64_t constants = 0;
  std::uint64_t state = 0;                // KV caches
  std::uint64_t inputs_outputs = 0;       // inputs, outputs, and the parameter buffer
  std::uint64_t activations_naive = 0;    // each activation with memory of its own
  std::uint64_t activations_planned = 0;  // the arena and the shared images
  std::uint64_t lower_bound = 0;          // no plan of the activations can be smaller
  std::uint64_t allocated = 0;            // by the device at the time of the report; 0 before there is one

  std::uint64_t planned_total() const { return weights + constants + state + inputs_outputs + activations_planned; }
};

}  // namespace driftwood::graph
