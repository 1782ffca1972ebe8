#include "measure/ablation/techniques.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/error.h"
#include "graph/lowering.h"
#include "graph/memory_plan.h"
#include "graph/passes/pass.h"

namespace driftwood::measure {
namespace {

constexpr TechniqueGroup groups_table[] = {
    {"virtualised-access", "kernels that do not know how tensors are stored, against addresses written by hand"},
    {"storage", "how activations are stored, against each other kind of storage"},
    {"weight-rows", "packed weights with the words of rows interleaved, against rows one after another"},
    {"fusion", "each pass of the graph compiler, and all of them"},
    {"quantization", "activations as 8-bit integers in prefill and in decoding, against floats"},
    {"kv-cache", "type and layout of the KV cache"},
    {"memory-plan", "activations that share memory, against memory of their own and other plans"},
    {"kernel-selection", "kernels for the case at hand, against the next that does the same, and the most general"},
    {"decode-launches", "a decoded token as one launch, against a launch a kernel"},
    {"program-cache", "the first token of a process with compiled programs kept on disk, and without"},
};

class Finder {
 public:
  Finder(const Subject& subject, std::size_t stage, const gpu::DeviceFacts& facts, const Setting& base)
      : subject_(subject), stage_(stage), facts_(facts), base_(base), lowered_(*lower(base)) {}

  std::vector<Technique> all(const std::function<bool(std::string_view)>& wants) {
    if (wants("storage")) storage();
    if (wants("weight-rows")) {
      add({.group = "weight-rows",
           .name = "weight-rows",
           .on = "interleaved",
           .off = "one after another",
           .off_setting = changed([](Setting& off) { off.options.weight_rows = graph::WeightRows::Separate; })});
    }
    if (wants("fusion")) fusion();
    if (wants("quantization")) quantization();
    if (wants("kv-cache") && subject_.stages()[stage_].has_cache) cache();
    if (wants("memory-plan")) memory();
    if (wants("kernel-selection")) kernels();
    if (wants("decode-launches")) launches();
    return std::move(found_);
  }

 private:
  std::optional<graph::LoweredGraph> lower(const Setting& setting) const {
    try {
      return graph::lower(subject_.graph(stage_, setting), facts_, setting.options);
    } catch (const Unsupported&) {
      return std::nullopt;
    }
  }

  template <class Change>
  Setting changed(Change change) const {
    Setting setting = base_;
    change(setting);
    return setting;
  }

  /// Adds a technique whose `on` is the base where it makes a difference.
  void add(Technique technique) {
    technique.on_setting = base_;
    const auto off = lower(technique.off_setting);
    if (off && !run_alike(lowered_, *off)) found_.push_back(std::move(technique));
  }

  void storage() {
    constexpr StorageKind kinds[] = {StorageKind::Buffer, StorageKind::ImageBuffer, StorageKind::Texture2D,
                                     StorageKind::Texture2DArray, StorageKind::Texture3D};
    for (const StorageKind kind : kinds) {
      if (kind == base_.options.storage) continue;
      add({.group = "storage",
           .name = "storage",
           .on = std::string(to_string(base_.options.storage)),
           .off = std::string(to_string(kind)),
           .off_setting = changed([&](Setting& off) { off.options.storage = kind; })});
    }
  }

  void fusion() {
    Setting none = base_;
    for (const graph::Pass& pass : graph::passes()) {
      if (pass.name == "remove-dead") continue;  // what no one reads is no technique
      const std::string name(pass.name);
      add({.group = "fusion", .name = name, .on = "on", .off = "off", .off_setting = changed([&](Setting& off) {
                                                                        off.options.disabled_passes.push_back(name);
                                                                      })});
      none.options.disabled_passes.push_back(name);
    }
    add({.group = "fusion", .name = "all-fusions", .on = "on", .off = "off", .off_setting = none});
  }

  void quantization() {
    const bool is_integer = lowered_.activations == graph::ActivationMode::Int8;
    Technique technique{.group = "quantization", .name = "integer-activations", .on = "int8", .off = "float"};
    const Setting other = changed([&](Setting& setting) {
      setting.options.activations = is_integer ? graph::ActivationMode::Float : graph::ActivationMode::Int8;
    });
    const auto lowered = lower(other);
    if (!lowered || lowered->activations == lowered_.activations || run_alike(lowered_, *lowered)) return;
    technique.on_setting = is_integer ? base_ : other;
    technique.off_setting = is_integer ? other : base_;
    (is_integer ? technique.on : technique.off) += " (chosen)";
    found_.push_back(std::move(technique));
  }

  void cache() {
    const DataType own =
        base_.cache_type.value_or(base_.options.precision == graph::Precision::F32 ? DataType::F32 : DataType::F16);
    for (const DataType type : {DataType::F32, DataType::F16, DataType::Q8_0}) {
      if (type == own) continue;
      add({.group = "kv-cache",
           .name = "kv-type",
           .on = std::string(to_string(own)),
           .off = std::string(to_string(type)),
           .off_setting = changed([&](Setting& off) { off.cache_type = type; })});
    }
    add({.group = "kv-cache",
         .name = "kv-layout",
         .on = "token-major",
         .off = "token-minor",
         .off_setting = changed([](Setting& off) { off.options.cache_layout = graph::CacheLayout::TokenMinor; })});
  }

  void memory() {
    for (const std::string_view plan : {"naive", "equality", "greedy-by-size"}) {
      add({.group = "memory-plan",
           .name = "memory-plan",
           .on = base_.options.memory_strategy,
           .off = std::string(plan),
           .off_setting = changed([&](Setting& off) {
             off.options.memory_strategy = plan;
             if (plan == "naive") off.options.in_place = false;
           }),
           .is_memory = true});
    }
  }

  std::vector<std::string> kernels_of(const graph::LoweredGraph& lowered) const {
    std::vector<std::string> names;
    for (const graph::LoweredStep& step : lowered.steps) {
      if (std::ranges::find(names, step.kernel) == names.end()) names.emplace_back(step.kernel);
    }
    return names;
  }

  void kernels() {
    const auto names_without = [](const graph::LoweredGraph& without, const std::vector<std::string>& before) {
      std::string text;
      for (const graph::LoweredStep& step : without.steps) {
        const std::string name(step.kernel);
        if (std::ranges::find(before, name) != before.end() || text.find(name) != std::string::npos) continue;
        text += (text.empty() ? "" : ", ") + name;
      }
      return text.empty() ? std::string("others in use") : text;
    };
    const std::vector<std::string> used = kernels_of(lowered_);
    for (const std::string& name : used) {
      const Setting off = changed([&](Setting& setting) { setting.options.disabled_kernels.push_back(name); });
      const auto without = lower(off);
      if (!without) continue;
      add({.group = "kernel-selection",
           .name = name,
           .on = name,
           .off = names_without(*without, used),
           .off_setting = off});
    }
    // Down to the rows that nothing else can stand in for.
    Setting generic = base_;
    std::vector<std::string> open = used, kept;
    while (!open.empty()) {
      const std::string name = open.front();
      open.erase(open.begin());
      Setting next = generic;
      next.options.disabled_kernels.push_back(name);
      const auto without = lower(next);
      if (!without) {
        kept.push_back(name);
        continue;
      }
      generic = std::move(next);
      for (const std::string& other : kernels_of(*without)) {
        if (std::ranges::find(kept, other) == kept.end() && std::ranges::find(open, other) == open.end()) {
          open.push_back(other);
        }
      }
    }
    if (generic.options.disabled_kernels.size() > base_.options.disabled_kernels.size()) {
      add({.group = "kernel-selection",
           .name = "all-special-kernels",
           .on = "selected",
           .off = "the most general",
           .off_setting = generic});
    }
  }

  // The kernels are the same, though some are cut otherwise.
  void launches() {
    if (!subject_.stages()[stage_].is_decode || !graph::decodes_in_one_launch(base_.options, facts_)) return;
    found_.push_back(
        {.group = "decode-launches",
         .name = "decode-launches",
         .on = "one a token",
         .off = "one a kernel",
         .on_setting = base_,
         .off_setting = changed([](Setting& off) { off.options.decode_launches = graph::DecodeLaunches::Many; })});
  }

  const Subject& subject_;
  std::size_t stage_;
  const gpu::DeviceFacts& facts_;
  Setting base_;
  graph::LoweredGraph lowered_;
  std::vector<Technique> found_ = {};
};

}  // namespace

std::span<const TechniqueGroup> technique_groups() { return groups_table; }

std::vector<Technique> techniques(const Subject& subject, std::size_t stage, const gpu::DeviceFacts& facts,
                                  const Setting& base, std::span<const std::string> groups) {
  return Finder(subject, stage, facts, base).all([&](std::string_view group) {
    return groups.empty() || std::ranges::find(groups, group) != groups.end();
  });
}

bool run_alike(const graph::LoweredGraph& a, const graph::LoweredGraph& b) {
  if (a.steps.size() != b.steps.size() || a.arena_bytes != b.arena_bytes || a.objects.size() != b.objects.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    if (a.steps[i].use.grid != b.steps[i].use.grid) return false;
    if (graph::kernel_key(a.steps[i].use, a.steps[i].fitting) !=
        graph::kernel_key(b.steps[i].use, b.steps[i].fitting)) {
      return false;
    }
  }
  return true;
}

}  // namespace driftwood::measure
