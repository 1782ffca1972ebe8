// Tuning of a model: its distinct nodes, each measured for as long as its share of the model's time is worth, and what
// the whole model gains.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tuning/search.h"

namespace driftwood::tuning {

/// A graph of a model and how much of the time for tuning it gets.
struct Work {
  StageSettings stage = {};
  double weight = 1;
};

/// Where the activations of a whole graph are stored.
struct StorageFinding {
  std::string stage = {};
  graph::NodeKey key = {};
  StorageKind best = StorageKind::Buffer;
  std::vector<std::pair<StorageKind, double>> milliseconds = {};  // of each kind that runs
  std::vector<std::string> refused = {};                          // kinds that do not, or are wrong, and why

  TableEntry entry() const;
};

/// How a whole graph runs by the rules and as tuned.
struct WholeRun {
  std::string stage = {};
  double rule_ms = 0, tuned_ms = 0;
  double gain = 0, spread = 0;  // rule / tuned - 1, of runs in turns
  std::size_t nodes = 0, tuned_nodes = 0;
  /// A node alone may run faster in a way that makes the whole graph slower, where the kernels of a launch share
  /// registers.
  bool loses() const { return gain < 0 && -gain > std::max(least_loss, 2 * spread); }
  static constexpr double least_loss = 0.005;
};

struct Tuned {
  std::vector<std::pair<std::string, Finding>> findings = {};  // of a stage, in the order of their time
  std::vector<StorageFinding> storage = {};
  std::vector<std::string> skipped = {};  // nodes that were not measured, and why
  std::vector<WholeRun> whole = {};
  double seconds = 0;

  /// Takes back what was found for a stage whose whole graph is slower with it.
  void leave_to_rules(const WholeRun& run);
  /// Of the device: what was measured to be better than the rules, and where nothing is.
  Table table(const gpu::DeviceFacts& facts) const;
};

struct TunerSettings {
  double budget_seconds = 120;
  TimeOf time = TimeOf::Clock;
  /// Seconds done, of how many, and what is measured.
  std::function<void(double, double, const std::string&)> progress = {};
};

/// Tunes the graphs of one model, which are taken in order: the first fills the caches that the next reads. Throws what
/// devices throw.
Tuned tune(gpu::Device& device, std::vector<Work> work, const Shared& shared, const TunerSettings& settings);

}  // namespace driftwood::tuning
