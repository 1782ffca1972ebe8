#include "tuning/standard.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "base/error.h"
#include "base/half.h"
#include "graph/builder.h"

namespace driftwood::tuning {
namespace {

constexpr std::uint32_t layers = 4;

constexpr StandardModel models[] = {{"1 B, Q4_0", 2048, 8192, 32, 8, 64, 128256, DataType::Q4_0},
                                    {"8 B, Q4_0", 4096, 14336, 32, 8, 128, 128256, DataType::Q4_0},
                                    {"8 B, Q8_0", 4096, 14336, 32, 8, 128, 128256, DataType::Q8_0}};

struct Matrix {
  std::string name;
  std::uint32_t rows, columns;
};

std::vector<Matrix> matrices_of(const StandardModel& model) {
  const std::uint32_t q = model.heads * model.head_size, kv = model.kv_heads * model.head_size;
  std::vector<Matrix> matrices = {{"embedding", model.vocabulary, model.hidden}};
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    const auto named = [&](std::string_view name) { return fmt::format("{}.{}", name, layer); };
    matrices.push_back({named("q"), q, model.hidden});
    matrices.push_back({named("k"), kv, model.hidden});
    matrices.push_back({named("v"), kv, model.hidden});
    matrices.push_back({named("output"), model.hidden, q});
    matrices.push_back({named("gate"), model.intermediate, model.hidden});
    matrices.push_back({named("up"), model.intermediate, model.hidden});
    matrices.push_back({named("down"), model.hidden, model.intermediate});
  }
  return matrices;
}

}  // namespace

std::span<const StandardModel> standard_models() { return models; }

graph::Graph standard_graph(const StandardModel& model, const StandardSettings& settings) {
  graph::Builder b({.activation = settings.activation_type, .max_tokens = settings.max_tokens});
  std::map<std::string, graph::Tensor> weights;
  for (const Matrix& matrix : matrices_of(model)) {
    weights.emplace(matrix.name, b.weights({.format = model.format,
                                            .columns = matrix.columns,
                                            .blocks = {{.name = matrix.name, .rows = matrix.rows}}}));
  }
  const auto ones = [&](const std::string& name, std::uint32_t size) {
    return b.vector(name, std::vector<float>(size, 1));
  };
  const graph::Rope rope{
      .head_size = model.head_size, .rotary = model.head_size, .pairing = graph::RopePairing::Adjacent};
  const graph::Tensor frequencies = ones("frequencies", model.head_size / 2);
  const Shape cache{.h = model.kv_heads, .w = settings.cache_size, .c = model.head_size};
  const float scale = 1 / std::sqrt(static_cast<float>(model.head_size));
  constexpr float epsilon = 1e-5F;

  graph::Tensor x = b.as_type(DataType::F32, b.embedding(b.ids("ids"), weights.at("embedding")));
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    b.set_scope(fmt::format("blk.{}", layer));
    const auto w = [&](std::string_view name) { return weights.at(fmt::format("{}.{}", name, layer)); };
    const auto norm = [&](std::string_view name, const graph::Tensor& input) {
      return b.rms_norm(input, ones(fmt::format("{}.{}", name, layer), model.hidden), epsilon);
    };
    const auto add = [&](const graph::Tensor& y) {
      return b.as_type(DataType::F32, b.add(b.as_type(DataType::F32, y), x));
    };
    const auto state = [&](std::string_view name) {
      return b.state(fmt::format("cache.{}.{}", name, layer), cache, settings.cache_type);
    };
    const graph::Tensor input = norm("attention_norm", x);
    const graph::Tensor q = b.linear(input, w("q")), k = b.linear(input, w("k")), v = b.linear(input, w("v"));
    const graph::Tensor k_cache = b.cache_write(b.rope(k, frequencies, rope), state("k"));
    const graph::Tensor v_cache = b.cache_write(v, state("v"));
    const graph::Tensor heads = b.head_layout(b.rope(q, frequencies, rope), model.kv_heads, model.head_size);
    x = add(b.linear(b.attention(heads, k_cache, v_cache, {.heads = model.heads, .scale = scale}), w("output")));
    const graph::Tensor feed = norm("feed_norm", x);
    const graph::Tensor gate = b.silu(b.linear(feed, w("gate")));
    x = add(b.linear(b.multiply(gate, b.linear(feed, w("up"))), w("down")));
  }
  b.set_scope("head");
  x = b.as_type(DataType::F32, b.select_token(x));
  b.output("logits", b.linear(b.rms_norm(x, ones("output_norm", model.hidden), epsilon), weights.at("embedding")));
  return std::move(b).build();
}

graph::WeightsProvider standard_weights(const StandardModel& model) {
  return [model, bytes = std::make_shared<std::vector<std::byte>>()](std::string_view name) {
    for (const Matrix& matrix : matrices_of(model)) {
      if (matrix.name != name) continue;
      const DataTypeInfo& facts = info(model.format);
      const std::size_t blocks = std::size_t{matrix.rows} * (matrix.columns / facts.block_length);
      bytes->resize(blocks * facts.block_bytes);
      std::mt19937 random(static_cast<unsigned>(std::hash<std::string_view>{}(name)));
      for (std::size_t i = 0; i + 4 <= bytes->size(); i += 4) {
        const auto word = static_cast<std::uint32_t>(random());
        std::memcpy(&(*bytes)[i], &word, sizeof word);
      }
      // A block begins with its scale; sums of so many products stay about one.
      const std::uint16_t scale = float_to_half(model.format == DataType::Q8_0 ? 3e-4F : 5e-3F);
      for (std::size_t i = 0; i < blocks; ++i) std::memcpy(&(*bytes)[i * facts.block_bytes], &scale, sizeof scale);
      return std::span<const std::byte>(*bytes);
    }
    throw InternalError(fmt::format("There is no matrix '{}' in the standard shapes.", name));
  };
}

}  // namespace driftwood::tuning
