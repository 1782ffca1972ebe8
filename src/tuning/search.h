// The search for the fastest way to run the nodes of a group.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tuning/race.h"
#include "tuning/stage.h"
#include "tuning/table.h"

namespace driftwood::tuning {

using Clock = std::chrono::steady_clock;

/// A candidate that is not taken, whatever its speed.
struct Refusal {
  graph::NodeChoice choice;
  std::string why;
  bool is_wrong = false;  // gives other numbers than the rules' kernel; else it does not run
};

struct Finding {
  NodeGroup group = {};
  std::string node = {};        // the name of the first
  std::string title = {};       // "linear q4_0 4096 x 14336"
  graph::NodeChoice rule = {};  // with the values of all parameters
  graph::NodeChoice best = {};  // the rule, where nothing is better
  double rule_us = 0, best_us = 0;
  double gain = 0;    // rule / best - 1
  double spread = 0;  // of that
  std::size_t tried = 0;
  bool is_complete = true;  // else time ran out before all was tried
  std::vector<Refusal> refused = {};
  std::vector<std::string> modules = {}, rule_modules = {};  // of the best, and of the rule

  bool is_better() const { return !(best == rule); }
  /// Takes the best back, and refuses it for `why`.
  void leave_to_rule(std::string why);
  TableEntry entry() const;
};

/// The rules' way alone, timed: what a search would have to beat.
Finding measure_rule(Stage& stage, const NodeGroup& group, TimeOf time = TimeOf::Clock);

/// Tries rows and values of their parameters, one parameter after the other from what is the best so far, until none of
/// them is an improvement or time is up. What it finds beats the rules by more than the noise of its samples and 2 %.
Finding search(Stage& stage, const NodeGroup& group, Clock::time_point deadline, TimeOf time = TimeOf::Clock);

/// All that a search may try of a node: of each row its parameters.
struct RowOptions {
  std::string kernel;
  std::vector<graph::ParameterUse> parameters;
};
std::vector<RowOptions> options_of(const graph::LoweredGraph& lowered, std::size_t node, const gpu::DeviceFacts& facts,
                                   const graph::GraphOptions& options);

}  // namespace driftwood::tuning
