#include "graph/operations/operation.h"

#include <fmt/format.h>

namespace driftwood::graph {

namespace {

std::string text(const Rope& rope) {
  std::string result = fmt::format("head size {}, rotary {}, {}", rope.head_size, rope.rotary, to_string(rope.pairing));
  if (rope.magnitude != 1) result += fmt::format(", magnitude {}", rope.magnitude);
  return result;
}
std::string text(const Embedding&) { return {}; }
std::string text(const Linear& operation) {
  return operation.normalizes ? fmt::format("normalizes, epsilon {}", operation.epsilon) : std::string();
}
std::string text(const SelectToken&) { return {}; }
std::string text(const Concat&) { return {}; }
std::string text(const LayerNorm& operation) { return fmt::format("epsilon {}", operation.epsilon); }
std::string text(const GroupStatistics& operation) {
  return fmt::format("groups {}, epsilon {}", operation.groups, operation.epsilon);
}
std::string text(const MultiHeadAttention& operation) {
  return fmt::format("heads {}, scale {}{}", operation.heads, operation.scale, operation.causal ? ", causal" : "");
}
std::string text(const Conv2d& operation) {
  std::string result = fmt::format("window {}x{}", operation.window_h, operation.window_w);
  if (operation.stride != 1) result += fmt::format(", stride {}", operation.stride);
  if (operation.pad_top + operation.pad_left + operation.pad_bottom + operation.pad_right != 0) {
    result += fmt::format(", padding {} {} {} {}", operation.pad_top, operation.pad_left, operation.pad_bottom,
                          operation.pad_right);
  }
  if (operation.upsample != 1) result += fmt::format(", upsample {}", operation.upsample);
  if (operation.crop_bottom + operation.crop_right != 0) {
    result += fmt::format(", crop {} {}", operation.crop_bottom, operation.crop_right);
  }
  return result;
}
std::string text(const GatedLinear& operation) {
  std::string result(info(operation.activation).name);
  if (operation.normalizes) result += fmt::format(", normalizes, epsilon {}", operation.epsilon);
  return result;
}
std::string text(const QuantizeTokens& operation) { return operation.packed ? "packed" : ""; }
std::string text(const IntegerLinear& operation) { return std::string(to_string(operation.input)); }
std::string text(const IntegerGatedLinear& operation) {
  return fmt::format("{}, {}", info(operation.activation).name, to_string(operation.input));
}
std::string text(const RmsNorm& operation) { return fmt::format("epsilon {}", operation.epsilon); }
std::string text(const AddRmsNorm& operation) { return fmt::format("epsilon {}", operation.epsilon); }
std::string text(const ElementWise& operation) { return to_string(operation); }
std::string text(const HeadLayout& operation) {
  return fmt::format("KV heads {}, head size {}", operation.kv_heads, operation.head_size);
}
std::string text(const HeadNorm& operation) {
  return fmt::format("head size {}, epsilon {}", operation.head_size, operation.epsilon);
}
std::string text(const CacheWrite& operation) { return operation.ring ? "ring" : ""; }
std::string text(const RopeQkv& operation) {
  std::string result =
      fmt::format("heads {}, KV heads {}, {}", operation.heads, operation.kv_heads, text(operation.rope));
  if (operation.normed) result += fmt::format(", normed with epsilon {}", operation.epsilon);
  if (operation.merged) result += ", merged";
  if (operation.ring) result += ", ring";
  return result;
}
std::string text(const QkvLinear& operation) {
  std::string result =
      fmt::format("heads {}, KV heads {}, {}", operation.heads, operation.kv_heads, text(operation.rope));
  if (operation.ring) result += ", ring";
  if (operation.normalizes) result += fmt::format(", normalizes, epsilon {}", operation.epsilon);
  return result;
}
std::string text(const SampleToken& operation) {
  return fmt::format("top-k {}{}", operation.top_k,
                     operation.window == 0 ? "" : fmt::format(", penalty window {}", operation.window));
}
std::string text(const Attention& operation) {
  std::string result = fmt::format("heads {}, scale {}", operation.heads, operation.scale);
  if (operation.causal) result += ", causal";
  if (operation.window != 0) result += fmt::format(", window {}", operation.window);
  if (operation.softcap != 0) result += fmt::format(", softcap {}", operation.softcap);
  if (operation.ring) result += ", ring";
  return result;
}

}  // namespace

std::string_view name(const Operation& operation) {
  return std::visit([](const auto& op) { return std::remove_cvref_t<decltype(op)>::name; }, operation);
}

std::vector<Shape> output_shapes(const Operation& operation, std::span<const Operand> inputs) {
  return std::visit([&](const auto& op) { return output_shapes(op, inputs); }, operation);
}

std::string attributes(const Operation& operation) {
  return std::visit([](const auto& op) { return text(op); }, operation);
}

bool accepts_epilogue(const Operation& operation) {
  return !std::holds_alternative<AddRmsNorm>(operation) && !std::holds_alternative<CacheWrite>(operation) &&
         !std::holds_alternative<RopeQkv>(operation) && !std::holds_alternative<QkvLinear>(operation) &&
         !std::holds_alternative<GroupStatistics>(operation) && !std::holds_alternative<Concat>(operation) &&
         !std::holds_alternative<QuantizeTokens>(operation) && !std::holds_alternative<SampleToken>(operation);
}

bool accepts_prologue(const Operation& operation) { return std::holds_alternative<Conv2d>(operation); }

bool normalizes(const Operation& operation) {
  if (const auto* linear = std::get_if<Linear>(&operation)) return linear->normalizes;
  if (const auto* qkv = std::get_if<QkvLinear>(&operation)) return qkv->normalizes;
  const auto* gated = std::get_if<GatedLinear>(&operation);
  return gated != nullptr && gated->normalizes;
}

std::size_t joined_operand(const Operation& operation) {
  if (std::holds_alternative<Conv2d>(operation)) return 2;
  return std::holds_alternative<GroupStatistics>(operation) ? 3 : 0;
}

int written_state(const Operation& operation, std::size_t output) {
  if (std::holds_alternative<CacheWrite>(operation)) return 1;
  if (const auto* qkv = std::get_if<RopeQkv>(&operation); qkv != nullptr && output > 0) {
    return static_cast<int>(qkv->projections() + output);  // after the projections and the frequencies
  }
  if (std::holds_alternative<QkvLinear>(operation) && output > 0) return static_cast<int>(2 + output);
  if (std::holds_alternative<SampleToken>(operation)) return static_cast<int>(3 + output);
  return -1;
}

}  // namespace driftwood::graph
