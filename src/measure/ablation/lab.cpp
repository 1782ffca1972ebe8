#include "measure/ablation/lab.h"

#include "kernels/source.h"

namespace driftwood::measure {
namespace {

/// What decides how weights and caches lie on the device: settings that agree share a store.
bool share_memory(const Setting& a, const Setting& b) {
  return a.cache_type == b.cache_type && a.options.precision == b.options.precision &&
         a.options.cache_layout == b.options.cache_layout && a.options.weight_rows == b.options.weight_rows;
}

bool is_same(const Setting& a, const Setting& b) {
  const graph::GraphOptions &x = a.options, &y = b.options;
  return share_memory(a, b) && x.activations == y.activations && x.storage == y.storage &&
         x.decode_launches == y.decode_launches && x.disabled_passes == y.disabled_passes &&
         x.disabled_kernels == y.disabled_kernels && x.memory_strategy == y.memory_strategy && x.in_place == y.in_place;
}

/// Inputs of numbers about one, ids of tokens that every vocabulary has; caches without what memory held before.
void fill(graph::Program& program) {
  for (const graph::Value& value : program.lowered().graph.values()) {
    if (value.role == graph::Role::State && value.written_from == graph::no_value) {
      const gpu::Binding& binding = program.binding(value.name);
      program.device().fill_zero(*binding.memory, binding.offset, binding.size);
    }
    if (value.role != graph::Role::Input) continue;
    if (value.is_array) {
      const std::vector<std::uint32_t> ids(value.shape.elements(), 1);
      program.write(value.name, std::as_bytes(std::span(ids)));
      continue;
    }
    std::vector<float> numbers(value.shape.elements());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<float>(i * 2654435761U % 4096U) / 2048.0F - 1.0F;
    }
    program.write_floats(value.name, numbers);
  }
}

}  // namespace

Lab::Lab(gpu::Device& device, const Subject& subject, std::function<void(std::size_t, std::size_t)> compiling)
    : device_(device),
      subject_(subject),
      compiling_(std::move(compiling)),
      kernels_(std::make_shared<graph::KernelCache>(device, kernels::source)) {}

Lab::Made Lab::make(const Setting& setting, std::size_t stage, bool own_store) {
  Made made;
  if (own_store) {
    made.store = subject_.make_store(stage);
  } else {
    auto& shared = stores_[subject_.store_of(stage)];
    if (!shared) shared = subject_.make_store(stage);
    made.store = shared;
  }
  graph::ProgramSettings settings;
  settings.options = setting.options;
  settings.store = made.store;
  settings.kernels = kernels_;
  settings.progress = compiling_;
  settings.is_joined =
      subject_.stages()[stage].is_decode && graph::decodes_in_one_launch(setting.options, device_.facts());
  made.program = std::make_unique<graph::Program>(device_, subject_.graph(stage, setting), std::move(settings));
  fill(*made.program);
  return made;
}

Work Lab::work_of(graph::Program& program, std::size_t stage) {
  return [&program, &runs = subject_.stages()[stage].runs] {
    for (const graph::Parameters& parameters : runs) program.run(parameters);
  };
}

Comparison Lab::compare(const Technique& technique, std::size_t stage, const TurnSettings& settings) {
  const Setting& on = technique.on_setting;
  const Setting& off = technique.off_setting;
  if (!kept_.contains(stage)) kept_[stage] = {on, make(on, stage, false)};
  // Of most techniques one side is what the stage is like anyway.
  const Setting& base = kept_.at(stage).first;
  Made& kept = kept_.at(stage).second;
  const auto side = [&](const Setting& setting, Made& own) -> graph::Program& {
    if (is_same(setting, base)) return *kept.program;
    own = make(setting, stage, !share_memory(setting, base));
    return *own.program;
  };
  Made own_on, own_off;
  graph::Program& with = side(on, own_on);
  graph::Program& without = side(off, own_off);
  Comparison comparison{
      .technique = technique.name, .stage = subject_.stages()[stage].name, .on = technique.on, .off = technique.off};
  time_in_turns(device_, work_of(with, stage), work_of(without, stage), settings, comparison);
  comparison.divide_times(static_cast<double>(subject_.stages()[stage].runs.size()));
  if (technique.is_memory) {
    comparison.on_bytes = with.lowered().memory.activations_planned;
    comparison.off_bytes = without.lowered().memory.activations_planned;
  }
  device_.finish();
  return comparison;
}

}  // namespace driftwood::measure
