#include "graph/passes/pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace driftwood::graph {

namespace {

// fuse-concat comes after fuse-prologue, which takes away the element-wise readers of a concatenation.
// remove-select comes before fuse-norm, whose norms may then read what the selection read.
// fuse-norm comes after merge-linears and fuse-gated, which leave fewer readers to a norm, and before fuse-add-norm: a
// norm that its readers apply leaves its sum to fuse-elementwise.
// fuse-qkv comes after merge-linears and fuse-norm, whose linears it takes as they left them.
// fuse-add-norm comes before fuse-elementwise, which would take the sum into the producer of one of its terms.
constexpr Pass table[] = {
    {"fuse-rope-cache", fuse_rope_cache},
    {"merge-linears", merge_linears},
    {"fuse-gated", fuse_gated},
    {"remove-select", remove_select},
    {"fuse-norm", fuse_norm},
    {"fuse-qkv", fuse_qkv},
    {"fuse-add-norm", fuse_add_norm},
    {"fuse-elementwise", fuse_element_wise},
    {"fuse-prologue", fuse_prologue},
    {"split-shortcut", split_shortcut},
    {"fuse-concat", fuse_concat},
    {"remove-dead", remove_dead},
    // Done where graphs are lowered, which know the device.
    {"join-linears", [](Graph&) -> std::size_t { return 0; }},
    {"tile-inputs", [](Graph&) -> std::size_t { return 0; }},
};

}  // namespace

std::span<const Pass> passes() { return table; }

std::vector<PassResult> run_passes(Graph& graph, std::span<const std::string> disabled) {
  for (const std::string& name : disabled) {
    if (std::ranges::any_of(table, [&](const Pass& pass) { return pass.name == name; })) continue;
    std::string known;
    for (const Pass& pass : table) known += fmt::format("{}'{}'", known.empty() ? "" : ", ", pass.name);
    throw InvalidInput(fmt::format("There is no pass '{}' to switch off; the passes are {}.", name, known));
  }
  std::vector<PassResult> results;
  for (const Pass& pass : table) {
    if (std::ranges::find(disabled, pass.name) != disabled.end()) continue;
    results.push_back({pass.name, pass.run(graph)});
    try {
      graph.check();
    } catch (Error& error) {
      error.add_context(fmt::format("After the pass '{}'.", pass.name));
      throw;
    }
  }
  return results;
}

}  // namespace driftwood::graph
