// A graph on a device, whose nodes can be run one by one in other ways than the rules' way: each value has memory of
// its own, which holds what a run of the whole graph has left there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/program.h"

namespace driftwood::tuning {

/// What all stages of a model share.
struct Shared {
  std::shared_ptr<graph::ResourceStore> store;
  std::shared_ptr<graph::KernelCache> kernels;
};

/// A graph to tune, and how it is run.
struct StageSettings {
  std::string name = {};  // "prefill"
  graph::Graph graph = {};
  graph::GraphOptions options = {};  // choices are not heeded
  graph::Parameters parameters = {};
  std::uint32_t vocabulary = 0;  // ids of tokens are below; 0: there are none
  bool is_joined = false;        // in use a run is one launch (ProgramSettings::is_joined)
};

/// Nodes of one key.
struct NodeGroup {
  graph::NodeKey key = {};
  std::vector<std::size_t> nodes = {};
};

/// A way to run a node.
struct Candidate {
  const graph::KernelRow* row = nullptr;
  graph::ParameterValues values = {};  // those given; the others are the rule's
};

/// A candidate for the nodes of a group, recorded: the node again and again, each time with the weights and caches of
/// the next of them, so that they come from memory as they do in use, but on the activations of the first. As one
/// launch where the graph is one in use: kernels then have other registers, and barriers between them.
struct Prepared {
  graph::NodeChoice choice = {};  // with the values of all parameters
  std::vector<graph::ParameterUse> parameters = {};
  std::vector<std::string> modules = {};
  std::size_t runs = 0;     // of the node in `all`
  std::size_t kernels = 0;  // of one run
  std::unique_ptr<gpu::Recording> first = {}, all = {};
};

class Stage {
 public:
  /// Compiles, allocates and runs the graph once.
  Stage(gpu::Device& device, StageSettings settings, const Shared& shared);

  const std::string& name() const { return settings_.name; }
  gpu::Device& device() const { return program_->device(); }
  const graph::Graph& graph() const { return program_->lowered().graph; }
  const graph::Parameters& parameters() const { return settings_.parameters; }

  /// Groups of nodes, in the order of their first.
  std::vector<NodeGroup> groups() const;
  /// The rows that apply to a node; the rules' first.
  std::vector<const graph::KernelRow*> rows(std::size_t node) const;

  /// Throws what compiling, binding and recording throw, Unsupported where a kernel takes fewer invocations than the
  /// candidate has.
  Prepared prepare(const NodeGroup& group, const Candidate& candidate);

  /// Numbers that a node has written, spread evenly where there are more than some; outputs are zero before.
  std::vector<float> results(std::size_t node, gpu::Recording& recording);
  /// Whether results are those of the rules' kernels within what other orders of sums and halves may differ by: 1e-2
  /// of their norm. `why` then says what is wrong.
  static bool agree(const std::vector<float>& results, const std::vector<float>& by_rule, std::string& why);

  /// Keeps what the states that a node writes hold, and brings it back.
  std::vector<std::vector<std::byte>> keep_states(std::size_t node) const;
  void restore_states(std::size_t node, const std::vector<std::vector<std::byte>>& kept);

 private:
  std::vector<graph::ValueId> written(std::size_t node) const;
  graph::SelectionContext context() const;

  StageSettings settings_;
  Shared shared_;
  gpu::Binding parameter_buffer_;
  std::unique_ptr<graph::Program> program_;
};

/// Writes the inputs of a program: ids, and numbers about zero.
void write_inputs(graph::Program& program, std::uint32_t vocabulary);

}  // namespace driftwood::tuning
