// KV caches over many runs: rings that wrap, caches of 8-bit blocks, against attention over the whole history in double
// precision; and the words of a quantized cache against the host's.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "conformance/quantized_cache.h"
#include "graph/builder.h"
#include "graph/program.h"
#include "kernels/source.h"
#include "support/devices.h"

namespace driftwood::test {
namespace {

using namespace conformance;

constexpr std::uint32_t heads = 4, kv_heads = 2, window = 4;

struct CacheSetting {
  const char* device;
  DataType type;
  std::uint32_t head_size;
  std::uint32_t chunk;  // most tokens of a run
  bool is_fused = true;

  std::uint32_t places() const { return window + chunk - 1; }  // the fewest that a ring may have
};

void PrintTo(const CacheSetting& setting, std::ostream* stream) {
  *stream << fmt::format("{} caches, heads of {}, runs of {}, {}", to_string(setting.type), setting.head_size,
                         setting.chunk, setting.device);
}

constexpr float attention_scale = 0.25F;

// One layer from projections to attention. No pair turns, so that the caches hold what is put in.
graph::Graph layer(const CacheSetting& setting, std::uint32_t tokens) {
  graph::Builder b({.max_tokens = tokens});
  const std::uint32_t size = setting.head_size;
  const graph::Rope rope{.head_size = size, .rotary = size};
  const auto frequencies = b.vector("frequencies", std::vector<float>(size / 2, 0.0F));
  const Shape cache{.h = kv_heads, .w = setting.places(), .c = size};
  const auto q = b.input("q", {.w = tokens, .c = heads * size});
  const auto k = b.input("k", {.w = tokens, .c = kv_heads * size}),
             v = b.input("v", {.w = tokens, .c = kv_heads * size});
  const auto k_cache = b.cache_write(b.rope(k, frequencies, rope), b.state("K", cache, setting.type), true);
  const auto v_cache = b.cache_write(v, b.state("V", cache, setting.type), true);
  const auto by_head = b.head_layout(b.rope(q, frequencies, rope), kv_heads, size);
  b.output("y", b.attention(by_head, k_cache, v_cache,
                            {.heads = heads, .scale = attention_scale, .window = window, .ring = true}));
  return std::move(b).build();
}

// Rows of a sequence, one a token.
struct Rows {
  std::uint32_t channels;
  std::vector<float> values;
  std::span<const float> at(std::uint32_t first, std::uint32_t count) const {
    return std::span(values).subspan(std::size_t{first} * channels, std::size_t{count} * channels);
  }
};

Rows random_rows(std::uint32_t rows, std::uint32_t channels, std::mt19937& random) {
  std::uniform_real_distribution<float> range(-1, 1);
  Rows result{channels, std::vector<float>(std::size_t{rows} * channels)};
  for (float& value : result.values) value = range(random);
  return result;
}

// Half a step of the blocks of a head: the most that a quantized value is off.
double half_step(std::span<const float> head) {
  double largest = 0;
  for (const float value : head) largest = std::max(largest, std::abs(double{value}));
  return largest / 254 * 1.001;
}

struct Result {
  double value, bound;
};

// Channel c of query head h at a position, and how far from it a kernel may be. Keys that are off by half a step move a
// score by at most scale * sum |q| * half a step, d; the weights of the softmax then change by factors within e^(+-2d).
Result attended(const CacheSetting& setting, const Rows& q, const Rows& k, const Rows& v, std::uint32_t position,
                std::uint32_t h, std::uint32_t c) {
  const std::uint32_t size = setting.head_size, kv = h / (heads / kv_heads);
  const auto query = q.at(position, 1).subspan(std::size_t{h} * size, size);
  double reach = 0;
  for (const float value : query) reach += attention_scale * std::abs(value);
  double score_error = 0, value_error = 0, total = 0, sum = 0, largest = 0;
  for (std::uint32_t j = position + 1 - std::min(position + 1, window); j <= position; ++j) {
    const auto key = k.at(j, 1).subspan(std::size_t{kv} * size, size);
    const auto value = v.at(j, 1).subspan(std::size_t{kv} * size, size);
    double score = 0;
    for (std::uint32_t i = 0; i < size; ++i) score += double{attention_scale} * query[i] * key[i];
    score_error = std::max(score_error, reach * half_step(key));
    value_error = std::max(value_error, half_step(value));
    largest = std::max(largest, std::abs(double{value[c]}));
    total += std::exp(score);
    sum += std::exp(score) * value[c];
  }
  double bound = 2e-5;
  if (setting.type == DataType::F16) bound += 1e-3 * (1 + reach);
  if (setting.type == DataType::Q8_0) bound += std::expm1(2 * score_error) * largest + value_error;
  return {sum / total, bound};
}

class KvCache : public testing::TestWithParam<CacheSetting> {};

TEST_P(KvCache, RingsHoldTheWindowThroughChunksAndDecoding) {
  const CacheSetting& setting = GetParam();
  gpu::Device* const device = test::device(setting.device);
  if (device == nullptr) GTEST_SKIP() << "no device " << setting.device;
  const auto store = std::make_shared<graph::ResourceStore>(*device, graph::WeightsProvider{});
  const auto program = [&](std::uint32_t tokens) {
    graph::GraphOptions options;
    if (!setting.is_fused) options.disabled_passes = {"fuse-rope-cache"};
    return graph::Program(*device, layer(setting, tokens),
                          {.options = options, .store = store, .sources = kernels::source});
  };
  graph::Program prefill = program(setting.chunk), decode = program(1);
  EXPECT_EQ(std::ranges::count(prefill.lowered().steps, "rope-qkv", &graph::LoweredStep::kernel), setting.is_fused);
  std::mt19937 random(11);
  // The caches keep what the sequence before left there.
  for (const std::uint32_t prompt : {window - 1, window, window + 1, 2 * window + 3, 2 * setting.places() + 3}) {
    const std::uint32_t size = setting.head_size, length = prompt + 2;
    const Rows q = random_rows(length, heads * size, random), k = random_rows(length, kv_heads * size, random);
    const Rows v = random_rows(length, kv_heads * size, random);
    for (std::uint32_t position = 0; position < length;) {
      graph::Program& stage = position < prompt ? prefill : decode;
      const std::uint32_t tokens = position < prompt ? std::min(setting.chunk, prompt - position) : 1;
      stage.write_floats("q", q.at(position, tokens));
      stage.write_floats("k", k.at(position, tokens));
      stage.write_floats("v", v.at(position, tokens));
      stage.run({.tokens = tokens, .position = position});
      std::vector<float> y(std::size_t{tokens} * heads * size);
      stage.read_floats("y", y);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const auto token = static_cast<std::uint32_t>(i / (heads * size)),
                   c = static_cast<std::uint32_t>(i % (heads * size));
        const Result wanted = attended(setting, q, k, v, position + token, c / size, c % size);
        ASSERT_NEAR(y[i], wanted.value, wanted.bound)
            << "prompt " << prompt << ", position " << position + token << ", channel " << c;
      }
      position += tokens;
    }
  }
}

// Chunks of 5 tokens take the CPU's kernel for many rows, chunks of 18 the GPU's.
constexpr CacheSetting settings[] = {{"reference-cpu", DataType::F32, 8, 3},
                                     {"reference-cpu", DataType::Q8_0, 22, 3},
                                     {"reference-cpu", DataType::Q8_0, 8, 5, false},
                                     {"reference", DataType::F16, 6, 3, false},
                                     {"reference", DataType::Q8_0, 40, 3},
                                     {"reference", DataType::F16, 8, 18},
                                     {"opencl:0", DataType::F32, 24, 3},
                                     {"opencl:0", DataType::Q8_0, 40, 3}};

INSTANTIATE_TEST_SUITE_P(All, KvCache, testing::ValuesIn(settings));

TEST(QuantizedCache, WordsAreThoseOfTheHost) {
  constexpr std::uint32_t size = 70, tokens = 5;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::mt19937 random(5);
  for (const char* id : {"reference-cpu", "reference", "opencl:0"}) {
    gpu::Device* const device = test::device(id);
    if (device == nullptr) continue;
    graph::Builder b({.max_tokens = tokens});
    const Shape cache{.h = kv_heads, .w = tokens, .c = size};
    b.cache_write(b.input("x", {.w = tokens, .c = kv_heads * size}), b.state("K", cache, DataType::Q8_0));
    graph::Program program(*device, std::move(b).build(), {.sources = kernels::source});
    EXPECT_EQ(program.memory().state, 2U * 5 * 3 * 36);

    Rows x = random_rows(tokens, kv_heads * size, random);
    const auto row = [&](std::uint32_t token) { return std::span(x.values).subspan(token * x.channels, x.channels); };
    std::ranges::fill(row(1), 0.0F);
    for (float& value : row(2)) value *= 1e30F;
    for (float& value : row(3)) value *= 1e-20F;
    program.write_floats("x", x.values);
    program.run({.tokens = tokens});
    std::vector<std::uint32_t> words(graph::quantized_cache_words(cache));
    program.read("K", std::as_writable_bytes(std::span(words)));
    const std::size_t row_words = graph::quantized_row_words(size);
    for (std::uint32_t token = 0; token < tokens; ++token) {
      const std::vector<std::uint32_t> wanted = quantized_rows(size, row(token));
      for (std::uint32_t head = 0; head < kv_heads; ++head) {
        const auto made = std::span(words).subspan((head * tokens + token) * row_words, row_words);
        EXPECT_THAT(made, testing::ElementsAreArray(std::span(wanted).subspan(head * row_words, row_words)))
            << id << ", token " << token << ", head " << head;
      }
    }

    // A value that is no number must not pass for one.
    row(0)[1] = nan;
    row(0)[40] = std::numeric_limits<float>::infinity();
    program.write_floats("x", x.values);
    program.run({.tokens = tokens});
    program.read("K", std::as_writable_bytes(std::span(words)));
    const std::vector<float> values = dequantized_rows(size, std::span(words).first(row_words), size);
    EXPECT_TRUE(std::isnan(values[1])) << id;
    EXPECT_TRUE(std::isnan(values[40])) << id;
    EXPECT_TRUE(std::isfinite(values[69])) << id;
  }
}

}  // namespace
}  // namespace driftwood::test
