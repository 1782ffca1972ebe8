#include "graph/diagnosis.h"

#include <fmt/format.h>

#include <cmath>

#include "base/finite.h"

namespace driftwood::graph {

std::optional<std::string> first_non_finite(gpu::Device& device, const Graph& graph, ProgramSettings settings,
                                            const std::function<void(Program&)>& write_inputs,
                                            const Parameters& parameters) {
  settings.options.memory_strategy = "naive";
  settings.options.in_place = false;
  settings.options.storage = StorageKind::Buffer;
  settings.arena.reset();
  Program program(device, graph, std::move(settings));
  write_inputs(program);
  program.run(parameters);
  const Graph& lowered = program.lowered().graph;
  for (const Node& node : lowered.nodes()) {
    for (const ValueId id : node.outputs) {
      const Value& value = lowered.value(id);
      if (value.is_array || value.role == Role::State) continue;
      const std::vector<float> numbers = program.read_value(id);
      const std::size_t finite = finite_values(numbers);
      if (finite == numbers.size()) continue;
      return fmt::format("'{}' ({}) gives {}", node.name, name(node.operation),
                         std::isnan(numbers[finite]) ? "a NaN" : "an infinity");
    }
  }
  return {};
}

}  // namespace driftwood::graph
