// From a graph to kernels and memory, without a device: passes, storage choice, selection, memory plan. `driftwood
// memory` and most tests end here; Program (program.h) goes on from it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/memory_plan.h"
#include "graph/memory_report.h"
#include "graph/selection.h"
#include "shader/fit_limits.h"

namespace driftwood::graph {

/// A place in memory: bytes of the arena, or one of the pooled objects, or a binding from outside.
struct Placement {
  enum class Kind : std::uint8_t {
    Arena,     // `offset` in the arena
    Object,    // pooled object `index`: an image, or a buffer where one arena would be too large
    External,  // weights, constants, state, inputs, outputs: bound by value
  };
  Kind kind = Kind::External;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t index = 0;
};

/// What makes a kernel fit the limits of a device that a row of the selection table does not ask about.
struct Fitting {
  std::optional<shader::FoldedGrid> grid = {};        // where the device has fewer workgroups along an axis
  std::map<std::string, std::uint64_t> buffers = {};  // bytes of plain buffers that one binding does not reach
};

struct LoweredStep {
  KernelUse use;  // ResourceUse::Scratch indices are into LoweredGraph::scratch
  Fitting fitting = {};
  std::size_t node = 0;
  std::string_view kernel;  // name of its row
};

/// The kernels of a node in a row, with all that rows leave out; scratch memory is appended. `context.chosen` must be
/// of that row, or null.
std::vector<LoweredStep> lower_node(std::size_t node, const SelectionContext& context, const KernelRow& row,
                                    std::vector<Scratch>& scratch);

struct LoweredGraph {
  Graph graph;  // after the passes, every value with its descriptor
  std::vector<LoweredStep> steps;
  std::vector<Scratch> scratch;
  std::vector<Placement> values;          // by ValueId
  std::vector<Placement> scratch_places;  // by index of scratch
  std::uint64_t arena_bytes = 0;
  std::vector<gpu::MemoryDescriptor> objects;
  MemoryReport memory;
  ActivationMode activations = ActivationMode::Float;  // as resolved: Float or Int8
  std::size_t tuned_nodes = 0;                         // that run as they were measured to be the best
};

/// A kernel that does in one what others do too, and how it can be done without.
struct FusedKernel {
  std::string_view kernel;  // the row that takes all that the operation's other rows do not
  std::string_view pass;    // that makes its operation; empty: `instead` says what does without
  std::string_view instead = {};
};
std::span<const FusedKernel> fused_kernels();

/// The passes that are off: those of the options, those that do not pay on the device, and those that make what the
/// device has no trusted kernel for.
std::vector<std::string> disabled_passes(const GraphOptions& options, const gpu::DeviceFacts& facts);

/// Rewrites, places and plans. Throws Unsupported where no kernel applies, InvalidInput for unknown names in the
/// options.
LoweredGraph lower(Graph graph, const gpu::DeviceFacts& facts, const GraphOptions& options,
                   std::span<const KernelRow> rows = kernel_rows());

/// The workgroups to launch for a grid with these parameters: as it is or, where it is `folded`, at least as many in
/// all, so that no axis exceeds its limit. Empty grids are 0. Nothing where the device cannot run so many.
std::optional<std::array<std::uint32_t, 3>> workgroups(const Grid& grid, const Parameters& parameters, bool folded,
                                                       const std::array<std::uint32_t, 3>& limits);
/// Whether some run of at most `max_tokens` tokens needs more groups along an axis than it may have.
bool must_fold(const Grid& grid, std::uint32_t max_tokens, const std::array<std::uint32_t, 3>& limits);

/// The physical object of a descriptor; of several objects each is like it.
gpu::MemoryDescriptor physical_object(const TensorDescriptor& descriptor);
/// Bytes of the physical objects of a descriptor.
std::uint64_t physical_bytes(const TensorDescriptor& descriptor);
/// Bytes of a value on the device: of its array, or of the objects of its descriptor.
std::uint64_t physical_bytes(const Value& value);
/// Bytes of a matrix on the device.
std::uint64_t physical_bytes(const WeightsDescriptor& descriptor);

}  // namespace driftwood::graph
