#include "tuning/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"
#include "tuning/race.h"

namespace driftwood::tuning {
namespace {

// A change that is worth being kept, whatever the noise.
constexpr double least_gain = 0.02;
// A row that is so much slower with its rule's values is not looked into.
constexpr double hopeless = 2.5;

// The operation and its matrix, or the shape of what it gives.
std::string title_of(const graph::Node& node, const graph::Graph& graph) {
  for (const graph::ValueId id : node.inputs) {
    const graph::Value& value = graph.value(id);
    if (value.role != graph::Role::Weights) continue;
    return fmt::format("{} {} {} x {}", name(node.operation), driftwood::to_string(value.data_type), value.shape.w,
                       value.shape.c);
  }
  const Shape& shape = graph.value(node.outputs.front()).shape;
  return fmt::format("{} {} x {} c{}", name(node.operation), shape.b * shape.h, shape.w, shape.c);
}

class Search {
 public:
  Search(Stage& stage, const NodeGroup& group, Clock::time_point deadline, TimeOf time)
      : stage_(stage), group_(group), deadline_(deadline), time_(time), node_(group.nodes.front()) {
    finding_.group = group;
    finding_.node = stage.graph().nodes()[node_].name;
    finding_.title = title_of(stage.graph().nodes()[node_], stage.graph());
  }

  Finding rule_alone() {
    const Prepared* rule = begin();
    finding_.best = finding_.rule;
    finding_.rule_us = finding_.best_us = times({rule}, {.rounds = 3, .sample_ms = 1}).front();
    finding_.modules = finding_.rule_modules = rule->modules;
    return std::move(finding_);
  }

  Finding run() {
    const auto kept = stage_.keep_states(node_);
    const Prepared* rule = begin();
    by_rule_ = stage_.results(node_, *rule->first);
    const Prepared* best = improved(rule);
    const std::vector<const graph::KernelRow*> rows = stage_.rows(node_);
    for (std::size_t i = 1; i < rows.size() && !is_late(); ++i) {
      const Prepared* other = candidate({.row = rows[i]});
      if (other == nullptr) continue;
      std::vector<double> duel = times({best, other});
      if (duel[1] > hopeless * duel[0]) continue;
      other = improved(other);
      duel = times({best, other});
      if (duel[1] < duel[0]) best = other;
    }
    if (is_late()) finding_.is_complete = false;
    settle(*rule, *best);
    stage_.restore_states(node_, kept);
    finding_.tried = tried_.size();
    return std::move(finding_);
  }

 private:
  bool is_late() const { return Clock::now() >= deadline_; }

  const Prepared* begin() {
    const graph::KernelRow* row = stage_.rows(node_).at(0);
    auto [place, is_new] = tried_.try_emplace({}, stage_.prepare(group_, {.row = row}));
    finding_.rule = place->second->choice;
    return &*place->second;
  }

  /// Null: it does not run, or is wrong.
  const Prepared* candidate(const Candidate& wanted) {
    const std::string key = to_string(graph::NodeChoice{std::string(wanted.row->kernel), wanted.values});
    if (const auto known = tried_.find(key); known != tried_.end()) {
      return known->second && known->second->all ? &*known->second : nullptr;
    }
    std::optional<Prepared>& place = tried_[key];
    try {
      Prepared prepared = stage_.prepare(group_, wanted);
      // Values that bring about others may make it one that was tried.
      for (const auto& [other, known] : tried_) {
        if (known && known->choice == prepared.choice) return known->all ? &*known : nullptr;
      }
      std::string why;
      if (!Stage::agree(stage_.results(node_, *prepared.first), by_rule_, why)) {
        finding_.refused.push_back({prepared.choice, why, true});
        return nullptr;
      }
      place = std::move(prepared);
      return &*place;
    } catch (const DeviceLost&) {
      throw;
    } catch (const Error& error) {
      finding_.refused.push_back({{std::string(wanted.row->kernel), wanted.values}, error.message(), false});
      return nullptr;
    }
  }

  std::vector<double> times(const std::vector<const Prepared*>& candidates, RaceSettings settings = {}) {
    settings.time = time_;
    std::vector<Runner> runners;
    for (const Prepared* prepared : candidates) runners.push_back({prepared->all.get(), prepared->runs});
    std::vector<double> medians;
    medians.reserve(candidates.size());
    for (const std::vector<double>& samples : race(stage_.device(), runners, settings)) {
      medians.push_back(median(samples));
    }
    return medians;
  }

  // Its memory; it is not looked at again.
  void release(const Prepared& loser) {
    for (auto& [key, prepared] : tried_) {
      if (prepared && &*prepared == &loser) {
        prepared->all.reset();
        prepared->first.reset();
      }
    }
  }

  const Prepared* improved(const Prepared* from) {
    const Prepared* best = from;
    const graph::KernelRow* row = nullptr;
    for (const graph::KernelRow* one : stage_.rows(node_)) {
      if (one->kernel == from->choice.kernel) row = one;
    }
    constexpr int most_passes = 3;
    for (int pass = 0; pass < most_passes; ++pass) {
      const Prepared* const before = best;
      // Values that were not chosen follow from those that were.
      for (std::size_t p = 0; p < best->parameters.size() && row != nullptr; ++p) {
        if (is_late()) return best;
        const graph::ParameterUse parameter = best->parameters[p];
        std::vector<const Prepared*> field = {best};
        for (const std::uint32_t value : parameter.candidates) {
          if (value == parameter.value || is_late()) continue;
          graph::ParameterValues values;
          for (std::size_t earlier = 0; earlier < p; ++earlier) {
            values[best->parameters[earlier].name] = best->parameters[earlier].value;
          }
          if (pass > 0) values = best->choice.values;
          values[parameter.name] = value;
          const Prepared* other = candidate({.row = row, .values = values});
          if (other != nullptr && std::ranges::find(field, other) == field.end()) field.push_back(other);
        }
        if (field.size() == 1) continue;
        const std::vector<double> medians = times(field);
        const auto fastest = static_cast<std::size_t>(std::ranges::min_element(medians) - medians.begin());
        if (medians[fastest] < medians[0] * (1 - least_gain / 2)) best = field[fastest];
        for (const Prepared* loser : field) {
          if (loser != best && loser != from) release(*loser);
        }
      }
      if (best == before) break;
    }
    return best;
  }

  /// The rule against the best, more often.
  void settle(const Prepared& rule, const Prepared& best) {
    const std::vector<Runner> runners = {{rule.all.get(), rule.runs}, {best.all.get(), best.runs}};
    const auto samples = race(stage_.device(), runners, {.time = time_, .rounds = 11, .drop_beyond = 1e9});
    const Ratio faster = ratio(samples[0], samples[1]);
    finding_.rule_us = median(samples[0]);
    finding_.best_us = median(samples[1]);
    finding_.gain = faster.median - 1;
    finding_.spread = faster.spread;
    const bool is_better = &rule != &best && finding_.gain > std::max(least_gain, 2 * faster.spread);
    finding_.best = is_better ? best.choice : rule.choice;
    finding_.rule_modules = rule.modules;
    finding_.modules = is_better ? best.modules : rule.modules;
    if (is_better) return;
    finding_.best_us = finding_.rule_us;
    finding_.gain = 0;
  }

  Stage& stage_;
  const NodeGroup& group_;
  Clock::time_point deadline_;
  TimeOf time_;
  std::size_t node_;
  Finding finding_;
  std::vector<float> by_rule_;                            // what the rules' kernel gives
  std::map<std::string, std::optional<Prepared>> tried_;  // nothing: refused
};

}  // namespace

void Finding::leave_to_rule(std::string why) {
  if (!is_better()) return;
  refused.push_back({.choice = best, .why = std::move(why)});
  best = rule;
  best_us = rule_us;
  gain = spread = 0;
  modules = rule_modules;
}

TableEntry Finding::entry() const {
  TableEntry entry{.key = group.key, .microseconds = best_us, .rule_microseconds = rule_us, .modules = modules};
  if (is_better()) entry.choice = best;
  entry.code = fingerprint(modules);
  return entry;
}

Finding measure_rule(Stage& stage, const NodeGroup& group, TimeOf time) {
  return Search(stage, group, Clock::now(), time).rule_alone();
}

Finding search(Stage& stage, const NodeGroup& group, Clock::time_point deadline, TimeOf time) {
  return Search(stage, group, deadline, time).run();
}

std::vector<RowOptions> options_of(const graph::LoweredGraph& lowered, std::size_t node, const gpu::DeviceFacts& facts,
                                   const graph::GraphOptions& options) {
  std::vector<RowOptions> result;
  const graph::Node& its_node = lowered.graph.nodes().at(node);
  graph::SelectionContext context{.graph = lowered.graph, .facts = facts, .options = options};
  for (const graph::KernelRow& row : graph::kernel_rows()) {
    context.asked = nullptr;
    const bool is_right = row.operation == graph::name(its_node.operation) && graph::is_trusted(facts, row.kernel) &&
                          !graph::is_switched_off(options, row.kernel);
    if (!is_right || !row.applies(its_node, context)) continue;
    RowOptions& own = result.emplace_back();
    own.kernel = row.kernel;
    context.asked = &own.parameters;
    std::vector<graph::Scratch> scratch;
    graph::lower_node(node, context, row, scratch);
  }
  return result;
}

}  // namespace driftwood::tuning
