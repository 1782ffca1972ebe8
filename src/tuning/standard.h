// Shapes of common models, to tune a device without a model's files: layers of language models with random weights.
#pragma once

#include <span>
#include <string_view>

#include "graph/graph.h"
#include "graph/row_source.h"

namespace driftwood::tuning {

/// A layer of the family of Llama.
struct StandardModel {
  std::string_view name;
  std::uint32_t hidden, intermediate, heads, kv_heads, head_size, vocabulary;
  DataType format;
};
std::span<const StandardModel> standard_models();

struct StandardSettings {
  std::uint32_t max_tokens = 1, cache_size = 2048;
  DataType activation_type = DataType::F32, cache_type = DataType::F16;
};

/// Embedding, layers and head of such a model; the layers are few, and differ in their weights alone.
graph::Graph standard_graph(const StandardModel& model, const StandardSettings& settings);

/// Random bytes of its matrices, all of whose values are finite; asked for again they are the same.
graph::WeightsProvider standard_weights(const StandardModel& model);

}  // namespace driftwood::tuning
