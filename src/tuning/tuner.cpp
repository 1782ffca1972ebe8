#include "tuning/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "graph/storage_choice.h"
#include "tuning/race.h"

namespace driftwood::tuning {
namespace {

// What takes less of a graph's time is not worth a search.
constexpr double least_share = 0.004;
// Of the budget, for the comparison of whole models at the end.
constexpr double whole_share = 0.15;
// Of a graph's part of it, for trying other kinds of memory for its activations, and what they must gain.
constexpr double storage_share = 0.2;
constexpr double least_storage_gain = 0.02;

using Seconds = std::chrono::duration<double>;

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
}

class Tuner {
 public:
  Tuner(gpu::Device& device, const Shared& shared, const TunerSettings& settings)
      : device_(device), shared_(shared), settings_(settings) {}

  Tuned run(std::vector<Work> work) {
    double weights = 0;
    for (const Work& one : work) weights += one.weight;
    std::vector<StageSettings> stages;
    for (Work& one : work) {
      stages.push_back(one.stage);
      const double left = settings_.budget_seconds * (1 - whole_share) - elapsed();
      search_stage(std::move(one.stage), after(std::max(left, 0.0) * one.weight / weights));
      weights -= one.weight;
    }
    auto choices = std::make_shared<graph::Choices>();
    for (const TableEntry& entry : tuned_.table(device_.facts()).entries) {
      if (!entry.choice.kernel.empty()) choices->add(entry.key, entry.choice);
    }
    for (StageSettings& stage : stages) {
      tuned_.whole.push_back(whole_run(std::move(stage), choices));
      if (tuned_.whole.back().loses()) tuned_.leave_to_rules(tuned_.whole.back());
    }
    tuned_.seconds = elapsed();
    return std::move(tuned_);
  }

 private:
  double elapsed() const { return Seconds(Clock::now() - begin_).count(); }

  void report(const std::string& what) const {
    if (settings_.progress) settings_.progress(elapsed(), settings_.budget_seconds, what);
  }

  void search_stage(StageSettings settings, Clock::time_point end) {
    const std::string name = settings.name;
    report(name + ": compiling");
    choose_storage(settings, end);
    Stage stage(device_, std::move(settings), shared_);
    std::vector<Finding> nodes;
    double all = 0;
    for (const NodeGroup& group : stage.groups()) {
      const std::string& node = stage.graph().nodes()[group.nodes.front()].name;
      report(fmt::format("{}: {}", name, node));
      if (Clock::now() > end) {
        tuned_.skipped.push_back(fmt::format("{}: '{}': the budget is spent", name, node));
        continue;
      }
      nodes.push_back(measure_rule(stage, group, settings_.time));
      all += nodes.back().rule_us * static_cast<double>(group.nodes.size());
    }
    const auto time = [](const Finding& finding) {
      return finding.rule_us * static_cast<double>(finding.group.nodes.size());
    };
    std::ranges::sort(nodes, [&](const Finding& a, const Finding& b) { return time(a) > time(b); });
    double left = 0;
    for (const Finding& node : nodes) left += time(node) >= least_share * all ? time(node) : 0;
    for (Finding& node : nodes) {
      const double own = time(node);
      if (own < least_share * all) {
        tuned_.skipped.push_back(fmt::format("{}: '{}' ({}) takes {:.2f} % of the time", name, node.node,
                                             node.rule.kernel, 100 * own / all));
        continue;
      }
      const double seconds = Seconds(end - Clock::now()).count();
      if (seconds <= 0) {
        tuned_.skipped.push_back(fmt::format("{}: '{}' ({}, {:.1f} % of the time): the budget is spent", name,
                                             node.node, node.rule.kernel, 100 * own / all));
        continue;
      }
      report(fmt::format("{}: {} ({})", name, node.node, node.rule.kernel));
      // Of the time that is left, what it takes of the time of the others that are; small ones get a little more.
      Finding found = search(stage, node.group,
                             after(seconds * (0.7 * own / left + 0.3 * std::min(1.0, 3 * own / left))), settings_.time);
      left -= own;
      tuned_.findings.emplace_back(name, std::move(found));
    }
  }

  std::unique_ptr<graph::Program> program(const StageSettings& settings, StorageKind storage,
                                          const std::shared_ptr<const graph::Choices>& choices) {
    graph::ProgramSettings program;
    program.options = settings.options;
    program.options.storage = storage;
    program.options.choices = choices;
    program.store = shared_.store;
    program.kernels = shared_.kernels;
    program.is_joined = settings.is_joined;
    auto made = std::make_unique<graph::Program>(device_, settings.graph, std::move(program));
    write_inputs(*made, settings.vocabulary);
    return made;
  }

  double time(graph::Program& program, const graph::Parameters& parameters, int runs) {
    const double begin = milliseconds(settings_.time, device_.facts());
    for (int i = 0; i < runs; ++i) program.run(parameters);
    device_.finish();
    return (milliseconds(settings_.time, device_.facts()) - begin) / runs;
  }

  std::vector<float> outputs(graph::Program& program, const graph::Parameters& parameters) {
    program.run(parameters);
    std::vector<float> all;
    for (const graph::Value& value : program.lowered().graph.values()) {
      if (value.role != graph::Role::Output || value.is_array) continue;
      std::vector<float> values(value.shape.elements());
      program.read_floats(value.name, values);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  /// Runs the graph by the rules with its activations in each kind of memory, and goes on with the fastest.
  void choose_storage(StageSettings& settings, Clock::time_point end) {
    // A CPU's driver computes what a GPU's texture units do, and matrix units take buffers alone.
    const gpu::DeviceFacts& facts = device_.facts();
    const bool has_choice = facts.has_images && !facts.is_cpu && !facts.has_matrices;
    if (!has_choice || settings.options.storage != StorageKind::Buffer) return;
    StorageFinding finding{.stage = settings.name, .key = key_of_storage(settings)};
    const auto begin = Clock::now();
    const auto limit = begin + std::chrono::duration_cast<Clock::duration>((end - begin) * storage_share);
    const auto buffers = program(settings, StorageKind::Buffer, nullptr);
    const std::vector<float> wanted = outputs(*buffers, settings.parameters);
    const auto preparing = Clock::now() - begin;
    double least = 0;
    for (const StorageKind kind : {StorageKind::ImageBuffer, StorageKind::Texture2D, StorageKind::Texture2DArray}) {
      if (Clock::now() + preparing > limit) {
        tuned_.skipped.push_back(
            fmt::format("{}: activations in a {}: the budget does not allow for it", settings.name, to_string(kind)));
        continue;
      }
      try {
        const auto other = program(settings, kind, nullptr);
        std::string why;
        if (!Stage::agree(outputs(*other, settings.parameters), wanted, why)) {
          finding.refused.push_back(fmt::format("{}: it {}", to_string(kind), why));
          continue;
        }
        std::vector<double> of_buffers, of_other;
        for (int round = 0; round < 5 && (round < 3 || Clock::now() < limit); ++round) {
          of_buffers.push_back(time(*buffers, settings.parameters, 2));
          of_other.push_back(time(*other, settings.parameters, 2));
        }
        if (finding.milliseconds.empty()) finding.milliseconds.emplace_back(StorageKind::Buffer, median(of_buffers));
        finding.milliseconds.emplace_back(kind, median(of_other));
        const Ratio faster = ratio(of_buffers, of_other);
        const double gain = faster.median - 1;
        if (gain > std::max(least_storage_gain, 2 * faster.spread) && gain > least) {
          finding.best = kind;
          least = gain;
        }
      } catch (const DeviceLost&) {
        throw;
      } catch (const Error& error) {
        finding.refused.push_back(fmt::format("{}: {}", to_string(kind), error.message()));
      }
    }
    settings.options.storage = finding.best;
    if (!finding.milliseconds.empty()) tuned_.storage.push_back(std::move(finding));
  }

  // As lowering finds it: after the passes, before the storage.
  graph::NodeKey key_of_storage(const StageSettings& settings) const {
    graph::Graph graph = graph::lower(settings.graph, device_.facts(), settings.options).graph;
    for (graph::ValueId id = 0; id < graph.values().size(); ++id) graph.value(id).descriptor.reset();
    return graph::storage_key(graph, settings.options);
  }

  WholeRun whole_run(StageSettings settings, const std::shared_ptr<const graph::Choices>& choices) {
    report(settings.name + ": the whole graph, by the rules and as tuned");
    const StorageKind storage = settings.options.storage;
    const auto by_rule = program(settings, storage, nullptr), as_tuned = program(settings, storage, choices);
    WholeRun whole{.stage = settings.name,
                   .nodes = as_tuned->lowered().graph.nodes().size(),
                   .tuned_nodes = as_tuned->lowered().tuned_nodes};
    const bool is_stored_otherwise = std::ranges::any_of(tuned_.storage, [&](const StorageFinding& finding) {
      return finding.stage == settings.name && finding.best != storage;
    });
    time(*by_rule, settings.parameters, 1);
    const double once = time(*by_rule, settings.parameters, 1);
    const int runs = std::clamp(static_cast<int>(20 / std::max(once, 0.01)), 1, 50);
    if (whole.tuned_nodes == 0 && !is_stored_otherwise) {  // one and the same
      whole.rule_ms = whole.tuned_ms = time(*by_rule, settings.parameters, runs);
      return whole;
    }
    time(*as_tuned, settings.parameters, 1);
    const double seconds = std::max(settings_.budget_seconds * whole_share / 3, 0.3);
    const int rounds = std::clamp(static_cast<int>(seconds * 1000 / (2 * runs * std::max(once, 0.01))), 3, 21);
    std::vector<double> rule_ms, tuned_ms;
    for (int i = 0; i < rounds; ++i) {
      rule_ms.push_back(time(*by_rule, settings.parameters, runs));
      tuned_ms.push_back(time(*as_tuned, settings.parameters, runs));
    }
    const Ratio faster = ratio(rule_ms, tuned_ms);
    whole.rule_ms = median(rule_ms);
    whole.tuned_ms = median(tuned_ms);
    whole.gain = faster.median - 1;
    whole.spread = faster.spread;
    return whole;
  }

  gpu::Device& device_;
  Shared shared_;
  const TunerSettings& settings_;
  Clock::time_point begin_ = Clock::now();
  Tuned tuned_;
};

}  // namespace

TableEntry StorageFinding::entry() const {
  TableEntry entry{.key = key, .modules = {}};
  if (best != StorageKind::Buffer) entry.choice = graph::storage_choice(best);
  for (const auto& [kind, ms] : milliseconds) {
    if (kind == StorageKind::Buffer) entry.rule_microseconds = ms * 1000;
    if (kind == best) entry.microseconds = ms * 1000;
  }
  entry.code = fingerprint(entry.modules);
  return entry;
}

void Tuned::leave_to_rules(const WholeRun& run) {
  const std::string why = fmt::format("makes the whole graph {:.1f} % slower", -100 * run.gain);
  for (auto& [stage, finding] : findings) {
    if (stage == run.stage) finding.leave_to_rule(why);
  }
  for (StorageFinding& finding : storage) {
    if (finding.stage != run.stage || finding.best == StorageKind::Buffer) continue;
    finding.refused.push_back(fmt::format("{}: it {}", to_string(finding.best), why));
    finding.best = StorageKind::Buffer;
  }
}

Table Tuned::table(const gpu::DeviceFacts& facts) const {
  Table table{.device = facts.name, .api = facts.api, .driver = facts.driver};
  for (const StorageFinding& finding : storage) table.set(finding.entry());
  for (const auto& [stage, finding] : findings) table.set(finding.entry());
  return table;
}

Tuned tune(gpu::Device& device, std::vector<Work> work, const Shared& shared, const TunerSettings& settings) {
  return Tuner(device, shared, settings).run(std::move(work));
}

}  // namespace driftwood::tuning
