// Where numbers go wrong: runs a graph with memory of its own for every activation, so that all of them can be looked
// at afterwards.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "graph/program.h"

namespace driftwood::graph {

/// The first node, in the order in which they run, that gives a value which is not finite, and what it gives:
/// "'conv_in' (conv2d) gives a NaN". Nothing where all are finite. `write_inputs` fills the inputs of the program it is
/// given. Throws OutOfMemory where the device has no room for all activations at once.
std::optional<std::string> first_non_finite(gpu::Device& device, const Graph& graph, ProgramSettings settings,
                                            const std::function<void(Program&)>& write_inputs,
                                            const Parameters& parameters);

}  // namespace driftwood::graph
