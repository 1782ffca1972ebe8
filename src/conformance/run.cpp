#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "conformance/case.h"
#include "conformance/guarded.h"
#include "conformance/tolerance.h"
#include "graph/lowering.h"

namespace driftwood::conformance {
namespace {

// Roundings to halves: where matrix units are given what weights or a prologue did not have as halves, both operands;
// where products of one token are made in halves, x, the eight sums and that of two of them.
double half_steps(const graph::LoweredGraph& lowered) {
  double most = 0;
  for (const graph::LoweredStep& step : lowered.steps) {
    const graph::Node& node = lowered.graph.nodes()[step.node];
    if (step.kernel.ends_with("-halves")) {
      most = std::max(most, 10.0);
    } else if (step.kernel.ends_with("-matrix") || step.kernel.ends_with("-pipeline")) {
      const bool are_halves = lowered.graph.value(node.inputs[1]).weights.format == DataType::F16;
      if (!node.prologue.empty() || !are_halves) most = std::max(most, 2.0);
    }
  }
  return most;
}

// Kernels that make input ready for matrix units, add what they left in shares, combine the parts of a divided cache,
// or find the statistics of channels for those of groups: more than the one of each node.
std::size_t helpers(const graph::LoweredGraph& lowered) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < lowered.steps.size(); ++i) {
    const std::string_view kernel = lowered.steps[i].kernel;
    const bool can_have_helpers = kernel.ends_with("-matrix") || kernel.ends_with("-pipeline") ||
                                  kernel.find("-split") != std::string_view::npos || kernel == "group-statistics";
    if (can_have_helpers && lowered.steps[i].node == lowered.steps[i - 1].node) ++count;
  }
  return count;
}

std::string place(const std::string& name, const Shape& shape, std::size_t i) {
  return fmt::format("'{}' at b {} h {} w {} c {}", name, i / shape.c / shape.w / shape.h,
                     i / shape.c / shape.w % shape.h, i / shape.c % shape.w, i % shape.c);
}

const graph::Value& value_named(const Problem& problem, const std::string& name) { return *problem.graph.find(name); }

// Elements that must be written, against what is wanted; all others, and padding, against what was there.
std::string compare(const Problem& problem, const Expected& expected, const std::vector<float>& before,
                    const std::vector<float>& after, const Accuracy& accuracy, double half_steps) {
  const graph::Value& value = value_named(problem, expected.name);
  const Shape& shape = value.shape;
  const std::uint32_t padded = 4 * shape.slices();
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::size_t element = i / padded * shape.c + std::min<std::size_t>(i % padded, shape.c - 1);
    const Wanted& wanted = expected.elements[element];
    const double allowed = tolerance(wanted, problem.arithmetic, accuracy, value.data_type, half_steps);
    const auto where = [&] { return place(expected.name, {.h = shape.h, .w = shape.w, .c = padded}, i); };
    if (!wanted.is_written) {
      if (std::bit_cast<std::uint32_t>(after[i]) != std::bit_cast<std::uint32_t>(before[i])) {
        return fmt::format("{} is {}, but it was not to be written and was {}", where(), after[i], before[i]);
      }
    } else if (i % padded >= shape.c) {
      if (after[i] != 0) return fmt::format("{} is {}, but padding channels are zero", where(), after[i]);
    } else if (!(std::abs(after[i] - wanted.value) <= allowed)) {
      return fmt::format("{} is {}, but {} is expected, within {}", where(), after[i], wanted.value, allowed);
    }
  }
  return {};
}

}  // namespace

Outcome run(const Subject& subject, const Problem& problem, const Setting& setting) {
  if (!problem.refusal.empty()) throw Unsupported(problem.refusal);
  PoisonedDevice device(subject.device, problem.is_idle);
  const Accuracy accuracy = accuracy_of(device.facts());
  std::map<std::string, Guarded> guarded;
  graph::ProgramSettings settings{.options = options_of(setting), .kernels = subject.kernels};
  for (const Expected& expected : problem.expected) {
    graph::Value value = value_named(problem, expected.name);
    if (!value.descriptor && !value.is_array) {
      value.descriptor = {.shape = value.shape,
                          .data_type = value.data_type,
                          .storage = StorageKind::Buffer,
                          .layout = *find_layout("dhwbcc4", StorageKind::Buffer)};
    }
    const auto& place = guarded.try_emplace(expected.name, device, value, problem);
    settings.bindings[expected.name] = place.first->second.binding();
  }
  settings.store = std::make_shared<graph::ResourceStore>(
      device, [&](std::string_view name) { return std::span(problem.weights.at(std::string(name))); });

  Outcome outcome;
  graph::Program program(device, problem.graph, std::move(settings));
  outcome.half_steps = half_steps(program.lowered());
  const std::size_t dispatches = program.dispatches() - helpers(program.lowered());
  if (problem.dispatches != 0 && dispatches != problem.dispatches) {
    outcome.fault = fmt::format("{} kernels run instead of {}", dispatches, problem.dispatches);
  }
  for (const auto& [name, values] : problem.contents) {
    if (!guarded.contains(name)) program.write_floats(name, values);
  }
  for (const auto& [name, words] : problem.words) {
    if (!guarded.contains(name)) program.write(name, std::as_bytes(std::span(words)));
  }
  if (!problem.ids.empty()) program.write("ids", std::as_bytes(std::span(problem.ids)));
  program.run(problem.parameters);
  outcome.accuracy = accuracy;
  for (const Expected& expected : problem.expected) {
    const Guarded& memory = guarded.at(expected.name);
    std::string fault;
    std::vector<float> after = memory.after(fault);
    if (fault.empty()) fault = compare(problem, expected, memory.before(), after, accuracy, outcome.half_steps);
    if (!fault.empty() && outcome.fault.empty()) outcome.fault = fault;
    outcome.values[expected.name] = std::move(after);
  }
  return outcome;
}

std::string difference(const Problem& problem, const Outcome& a, const Outcome& b) {
  const double steps = std::max(a.half_steps, b.half_steps);
  for (const Expected& expected : problem.expected) {
    const graph::Value& value = value_named(problem, expected.name);
    const std::uint32_t padded = 4 * value.shape.slices();
    const std::vector<float>& left = a.values.at(expected.name);
    const std::vector<float>& right = b.values.at(expected.name);
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::size_t element = i / padded * value.shape.c + std::min<std::size_t>(i % padded, value.shape.c - 1);
      const Wanted& wanted = expected.elements[element];
      const double allowed = tolerance(wanted, problem.arithmetic, a.accuracy, value.data_type, steps) +
                             tolerance(wanted, problem.arithmetic, b.accuracy, value.data_type, steps);
      if (!wanted.is_written || std::abs(left[i] - right[i]) <= allowed) continue;
      return fmt::format("{} is {} on one device and {} on the other",
                         place(expected.name, {.h = value.shape.h, .w = value.shape.w, .c = padded}, i), left[i],
                         right[i]);
    }
  }
  return {};
}

}  // namespace driftwood::conformance
