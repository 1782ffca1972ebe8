// The merged linear of q, k and v with RoPE and the cache writes, of one token.
#include <gmock/gmock.h>

#include "graph/dump.h"
#include "graph/launches.h"
#include "graph/lowering.h"
#include "graph/passes/pass.h"
#include "layer.h"

namespace driftwood::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr testing::LayerOptions decode{.tokens = 1, .pairing = RopePairing::Adjacent};

std::string passed(const testing::LayerOptions& options, const std::vector<std::string>& disabled = {}) {
  Graph graph = testing::decoder_layer(options);
  run_passes(graph, disabled);
  return to_text(graph);
}

std::size_t fused(const testing::LayerOptions& options, const std::vector<std::string>& disabled = {}) {
  Graph graph = testing::decoder_layer(options);
  for (const PassResult& result : run_passes(graph, disabled)) {
    if (result.name == "fuse-qkv") return result.rewrites;
  }
  return 0;
}

TEST(FuseQkv, TheLinearStoresWhatRopeQkvWould) {
  EXPECT_THAT(passed(decode, {"fuse-qkv"}),
              HasSubstr("%38 q.qkv (1, 1, 1, 64) f32 = linear(%3, @wq + wk + wv [64 x 32 q4_0], @attn_norm) "
                        "{normalizes, epsilon 1e-05}\n"
                        "%18 heads (1, 2, 2, 8) f32, %14 k_write in #K, %16 v_write in #V = rope-qkv(%38, @freq, #K, "
                        "#V) {heads 4, KV heads 2, head size 8, rotary 8, adjacent, merged}\n"
                        "%19 attention"));
  EXPECT_THAT(passed(decode),
              HasSubstr("%18 heads (1, 2, 2, 8) f32, %14 k_write in #K, %16 v_write in #V = qkv-linear(%3, @wq + wk + "
                        "wv [64 x 32 q4_0], @freq, #K, #V, @attn_norm) {heads 4, KV heads 2, head size 8, rotary 8, "
                        "adjacent, normalizes, epsilon 1e-05}\n"
                        "%19 attention"));
}

TEST(FuseQkv, TakesABiasAndALinearWithoutANorm) {
  testing::LayerOptions biased = decode;
  biased.biased = true;
  EXPECT_THAT(passed(biased), HasSubstr("@freq, #K, #V, @bq + bk + bv, @attn_norm) {heads 4"));
  EXPECT_THAT(passed(biased, {"fuse-norm"}), HasSubstr("@freq, #K, #V, @bq + bk + bv) {heads 4"));
  EXPECT_THAT(passed(decode, {"fuse-norm"}), HasSubstr("@freq, #K, #V) {heads 4, KV heads 2, head size 8, rotary 8, "
                                                       "adjacent}\n"));
}

TEST(FuseQkv, LeavesAloneWhatASliceDoesNotHold) {
  EXPECT_EQ(fused(decode), 1U);
  testing::LayerOptions options = decode;
  options.pairing = RopePairing::Halves;
  EXPECT_EQ(fused(options), 0U) << "the partner of a channel is in another slice";
  options = decode;
  options.tokens = 2;
  EXPECT_EQ(fused(options), 0U) << "two tokens";
  options = decode;
  options.cache_type = DataType::Q8_0;
  EXPECT_EQ(fused(options), 0U) << "the scale of a block is of 32 channels";
  options = decode;
  options.cache_type = DataType::F32;
  EXPECT_EQ(fused(options), 1U);
  options = decode;
  options.q_normed = options.k_normed = true;
  EXPECT_EQ(fused(options), 0U) << "a norm of heads";
  options = decode;
  options.head_size = 6;
  EXPECT_EQ(fused(options), 0U) << "heads of a slice and a half";
  options = decode;
  options.v_format = DataType::Q8_0;
  EXPECT_EQ(fused(options), 0U) << "matrices of two formats";
  EXPECT_EQ(fused(decode, {"merge-linears"}), 0U);
}

TEST(FuseQkv, ALayerTakesOneLaunchLess) {
  for (const bool is_cpu : {false, true}) {
    gpu::DeviceFacts facts;
    facts.id = "test";
    facts.max_workgroup_size = 256;
    facts.max_workgroup_extent = {256, 256, 64};
    facts.local_memory = 32768;
    facts.buffer_alignment = 64;
    facts.is_cpu = is_cpu;
    const LoweredGraph lowered = lower(testing::decoder_layer(decode), facts, {});
    const LoweredGraph apart = lower(testing::decoder_layer(decode), facts, {.disabled_passes = {"fuse-qkv"}});
    EXPECT_EQ(lowered.steps.size() + 1, apart.steps.size());
    EXPECT_EQ(lowered.steps[1].kernel, is_cpu ? "qkv-wide" : "qkv-rows");
    // Products of integers store what they make, and no more.
    const LoweredGraph integers = lower(testing::decoder_layer(decode), facts, {.activations = ActivationMode::Int8});
    EXPECT_THAT(to_text(integers.graph), Not(HasSubstr("qkv-linear")));
    EXPECT_THAT(to_text(integers.graph), HasSubstr("rope-qkv"));
  }
}

}  // namespace
}  // namespace driftwood::graph
