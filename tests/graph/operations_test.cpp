#include <gmock/gmock.h>

#include "base/error.h"
#include "graph/operations/operation.h"

namespace driftwood::graph {
namespace {

const Operand x{"x", {.w = 16, .c = 64}};

std::string error_of(const Operation& operation, const std::vector<Operand>& inputs) {
  try {
    output_shapes(operation, inputs);
  } catch (const InvalidInput& error) {
    return error.message();
  }
  return "no error";
}

struct ErrorCase {
  const char* what;
  Operation operation;
  std::vector<Operand> inputs;
  const char* message;
};

const Rope rope8{.head_size = 8, .rotary = 8};
const Rope adjacent8{.head_size = 8, .rotary = 8, .pairing = RopePairing::Adjacent};
const Operand weights{"w", {.w = 32, .c = 48}};
const Operand cache{"cache", {.h = 2, .w = 100, .c = 8}};
const Operand freq4{"freq", {.c = 4}};
const RopeQkv qkv{.rope = rope8, .heads = 4, .kv_heads = 2};
const RopeQkv merged_qkv{.rope = rope8, .heads = 4, .kv_heads = 2, .merged = true};
const RopeQkv normed_qkv{.rope = rope8, .heads = 4, .kv_heads = 2, .normed = true};
const Operand q32{"q", {.w = 4, .c = 32}}, k16{"k", {.w = 4, .c = 16}}, v16{"v", {.w = 4, .c = 16}};

const Operand logits{"logits", {.c = 50}}, settings4{"settings", {.c = 4}}, numbers{"numbers", {.w = 9, .c = 1}},
    history8{"history", {.w = 8, .c = 2}}, next_id{"next_id", {.c = 1}}, run4{"run", {.c = 4}};

const ErrorCase error_cases[] = {
    {"logits of several tokens",
     SampleToken{},
     {{"logits", {.w = 2, .c = 50}}, settings4, numbers, history8, next_id, run4},
     "sample-token: the logits 'logits' (1, 1, 2, 50) are not of shape (1, 1, 1, 50)."},
    {"more tokens than can be drawn from",
     SampleToken{.top_k = 65},
     {logits, settings4, numbers, history8, next_id, run4},
     "sample-token: the 65 likeliest tokens are asked for; 1 to 64 can be."},
    {"a window over the places",
     SampleToken{.window = 9},
     {logits, settings4, numbers, history8, next_id, run4},
     "sample-token: a window of 9 tokens is more than the places of 'history' (1, 1, 8, 2)."},
    {"too few inputs", Linear{}, {x}, "linear: 1 inputs are given, but it takes 2 to 3."},
    {"too many inputs", SelectToken{}, {x, x}, "select-token: 2 inputs are given, but it takes 1."},
    {"columns",
     Linear{},
     {x, weights},
     "linear: the input 'x' (1, 1, 16, 64) has 64 channels, but the weights 'w' (32 x 48) take 48."},
    {"bias",
     Linear{},
     {x, {"w", {.w = 32, .c = 64}}, {"bias", {.c = 31}}},
     "linear: the bias 'bias' (1, 1, 1, 31) does not hold one value for each of the 32 rows of 'w' (32 x 64)."},
    {"factors of a linear's norm",
     Linear{.normalizes = true},
     {x, {"w", {.w = 32, .c = 64}}, {"gamma", {.c = 32}}},
     "linear: the factors 'gamma' (1, 1, 1, 32) are not one for each of the 64 channels of 'x' (1, 1, 16, 64)."},
    {"a linear's norm without factors",
     Linear{.normalizes = true},
     {x, weights},
     "linear: 2 inputs are given, but it takes 3 to 4."},
    {"factors of a gated linear's norm",
     GatedLinear{.normalizes = true},
     {x, {"gate", {.w = 8, .c = 64}}, {"up", {.w = 8, .c = 64}}, {"gamma", {.c = 8}}},
     "gated-linear: the factors 'gamma' (1, 1, 1, 8) are not one for each of the 64 channels of 'x' (1, 1, 16, 64)."},
    {"one bias of a gated linear with a norm",
     GatedLinear{.normalizes = true},
     {x, {"gate", {.w = 8, .c = 64}}, {"up", {.w = 8, .c = 64}}, {"bias", {.c = 8}}, {"gamma", {.c = 64}}},
     "gated-linear: one bias is given; both or none are needed."},
    {"ids",
     Embedding{},
     {x, weights},
     "embedding: the ids 'x' (1, 1, 16, 64) have 64 channels, but each position holds one id."},
    {"gate columns",
     GatedLinear{},
     {x, weights, weights},
     "gated-linear: the input 'x' (1, 1, 16, 64) has 64 channels, but the weights 'w' (32 x 48) take 48."},
    {"gate and up",
     GatedLinear{},
     {x, {"gate", {.w = 8, .c = 64}}, {"up", {.w = 12, .c = 64}}},
     "gated-linear: the gate 'gate' (8 x 64) has 8 rows, but the up projection 'up' (12 x 64) has 12."},
    {"no activation",
     GatedLinear{ElementOp::Add},
     {x, weights, weights},
     "gated-linear: 'add' is no activation of one operand."},
    {"gamma",
     RmsNorm{},
     {x, {"gamma", {.c = 32}}},
     "rms-norm: the factors 'gamma' (1, 1, 1, 32) are not one for each of the 64 channels of 'x' (1, 1, 16, 64)."},
    {"terms",
     AddRmsNorm{},
     {x, {"r", {.w = 8, .c = 64}}, {"gamma", {.c = 64}}},
     "add-rms-norm: the terms 'x' (1, 1, 16, 64) and 'r' (1, 1, 8, 64) differ in shape."},
    {"sum's gamma",
     AddRmsNorm{},
     {x, x, {"gamma", {.w = 64}}},
     "add-rms-norm: the factors 'gamma' (1, 1, 64, 1) are not one for each of the 64 channels of 'x' (1, 1, 16, 64)."},
    {"broadcast",
     single(ElementOp::Add),
     {x, {"y", {.w = 3, .c = 64}}},
     "element-wise: the inputs 'x' (1, 1, 16, 64) and 'y' (1, 1, 3, 64) do not broadcast: each axis must be equal or "
     "1."},
    {"head size 0", Rope{}, {x, freq4}, "rope: the head size is 0."},
    {"odd rotary",
     Rope{.head_size = 8, .rotary = 3},
     {x, freq4},
     "rope: 3 rotary channels are no even number from 2 to the head size of 8."},
    {"rotary past the head",
     Rope{.head_size = 8, .rotary = 10},
     {x, freq4},
     "rope: 10 rotary channels are no even number from 2 to the head size of 8."},
    {"frequencies",
     rope8,
     {x, {"freq", {.c = 8}}},
     "rope: the frequencies 'freq' (1, 1, 1, 8) are not one for each of the 4 pairs of 8 channels."},
    {"heads",
     Rope{.head_size = 24, .rotary = 8},
     {x, freq4},
     "rope: the 64 channels of 'x' (1, 1, 16, 64) are no multiple of the head size of 24."},
    {"head norm: head size 0", HeadNorm{}, {x, freq4}, "head-norm: the head size is 0."},
    {"head norm: heads",
     HeadNorm{.head_size = 24},
     {x, {"gamma", {.c = 24}}},
     "head-norm: the 64 channels of 'x' (1, 1, 16, 64) are no multiple of the head size of 24."},
    {"head norm: gamma",
     HeadNorm{.head_size = 8},
     {x, freq4},
     "head-norm: the factors 'freq' (1, 1, 1, 4) are not one for each of the 8 channels of a head."},
    {"head layout",
     HeadLayout{3, 8},
     {x},
     "head-layout: the 64 channels of 'x' (1, 1, 16, 64) are no multiple of 3 KV heads of 8 channels."},
    {"head layout of an image",
     HeadLayout{2, 8},
     {{"image", {.h = 4, .w = 4, .c = 64}}},
     "head-layout: 'image' (1, 4, 4, 64) has more axes than tokens and channels."},
    {"cache channels",
     CacheWrite{},
     {x, cache},
     "cache-write: the 64 channels of 'x' (1, 1, 16, 64) are not the 2 heads of 8 channels of the cache 'cache' "
     "(1, 2, 100, 8)."},
    {"cache places",
     CacheWrite{},
     {{"k", {.w = 200, .c = 16}}, cache},
     "cache-write: the 200 tokens of 'k' (1, 1, 200, 16) are more than the 100 places of the cache 'cache' "
     "(1, 2, 100, 8)."},
    {"qkv: heads",
     RopeQkv{.rope = rope8, .heads = 3, .kv_heads = 2},
     {q32, k16, v16, freq4, cache, cache},
     "rope-qkv: 3 heads are no multiple of 2 KV heads."},
    {"qkv: keys",
     qkv,
     {q32, q32, v16, freq4, cache, cache},
     "rope-qkv: the keys 'q' (1, 1, 4, 32) have 32 channels, but 4 heads and 2 KV heads of 8 channels need 16."},
    {"qkv: merged",
     merged_qkv,
     {q32, freq4, cache, cache},
     "rope-qkv: the projections 'q' (1, 1, 4, 32) have 32 channels, but 4 heads and 2 KV heads of 8 channels need 64."},
    {"qkv: tokens",
     qkv,
     {q32, {"k", {.w = 5, .c = 16}}, v16, freq4, cache, cache},
     "rope-qkv: 'q' (1, 1, 4, 32) and 'k' (1, 1, 5, 16) differ in their number of tokens."},
    {"qkv: cache shape",
     qkv,
     {q32, k16, v16, freq4, cache, {"V", {.h = 2, .w = 100, .c = 16}}},
     "rope-qkv: the cache 'V' (1, 2, 100, 16) does not have the shape (1, 2, 100, 8) of 2 KV heads of 8 channels."},
    {"qkv: cache places",
     qkv,
     {q32, k16, v16, freq4, {"K", {.h = 2, .w = 3, .c = 8}}, cache},
     "rope-qkv: 4 tokens are more than the 3 places of the cache 'K' (1, 2, 3, 8)."},
    {"qkv: factors",
     normed_qkv,
     {q32, k16, v16, freq4, cache, cache, {"gamma", {.c = 8}}, freq4},
     "rope-qkv: the factors 'freq' (1, 1, 1, 4) are not one for each of the 8 channels of a head."},
    {"qkv: no factors",
     normed_qkv,
     {q32, k16, v16, freq4, cache, cache},
     "rope-qkv: 6 inputs are given, but it takes 8."},
    {"qkv linear: pairs",
     QkvLinear{.rope = rope8, .heads = 4, .kv_heads = 2},
     {{"x", {.c = 64}}, {"w", {.w = 64, .c = 64}}, freq4, cache, cache},
     "qkv-linear: 8 of 8 channels turn, pairs are halves; both must be multiples of 4, and pairs adjacent."},
    {"qkv linear: tokens",
     QkvLinear{.rope = adjacent8, .heads = 4, .kv_heads = 2},
     {x, {"w", {.w = 64, .c = 64}}, freq4, cache, cache},
     "qkv-linear: the input 'x' (1, 1, 16, 64) has 16 tokens; it must be one."},
    {"qkv linear: rows",
     QkvLinear{.rope = adjacent8, .heads = 4, .kv_heads = 2},
     {{"x", {.c = 64}}, {"w", {.w = 60, .c = 64}}, freq4, cache, cache},
     "rope-qkv: the projections 'w' (1, 1, 1, 60) have 60 channels, but 4 heads and 2 KV heads of 8 channels need 64."},
    {"qkv linear: no factors",
     QkvLinear{.rope = adjacent8, .heads = 4, .kv_heads = 2, .normalizes = true},
     {{"x", {.c = 64}}, {"w", {.w = 64, .c = 64}}, freq4, cache, cache},
     "qkv-linear: 5 inputs are given, but it takes 6 to 7."},
    {"attention: a ring without a window",
     Attention{.heads = 4, .ring = true},
     {{"q", {.h = 2, .w = 8, .c = 8}}, cache, cache},
     "attention: the cache 'cache' (1, 2, 100, 8) is a ring, which only a window can be read from."},
    {"attention: a ring that the run itself would overwrite",
     Attention{.heads = 4, .window = 98, .ring = true},
     {{"q", {.h = 2, .w = 8, .c = 8}}, cache, cache},
     "attention: the ring 'cache' (1, 2, 100, 8) has 100 places, but a window of 98 positions and runs of 4 tokens "
     "need "
     "101."},
    {"attention: caches",
     Attention{.heads = 4},
     {x, cache, {"V", {.h = 2, .w = 99, .c = 8}}},
     "attention: the K cache 'cache' (1, 2, 100, 8) and the V cache 'V' (1, 2, 99, 8) differ in shape."},
    {"attention: queries",
     Attention{.heads = 4},
     {{"q", {.h = 4, .w = 8, .c = 8}}, cache, cache},
     "attention: the queries 'q' (1, 4, 8, 8) and the K cache 'cache' (1, 2, 100, 8) differ in KV heads (H) or head "
     "size "
     "(C)."},
    {"attention: heads",
     Attention{.heads = 3},
     {{"q", {.h = 2, .w = 8, .c = 8}}, cache, cache},
     "attention: 3 heads are no multiple of the 2 KV heads of 'q' (1, 2, 8, 8)."},
    {"attention: rows",
     Attention{.heads = 4},
     {{"q", {.h = 2, .w = 7, .c = 8}}, cache, cache},
     "attention: the 7 rows of 'q' (1, 2, 7, 8) are no multiple of 2 query heads a KV head."},
};

TEST(Operations, ErrorsNameTheOperationAndTheShapes) {
  for (const ErrorCase& test : error_cases) EXPECT_EQ(error_of(test.operation, test.inputs), test.message) << test.what;
}

struct ShapeCase {
  const char* what;
  Operation operation;
  std::vector<Operand> inputs;
  std::vector<Shape> shapes;
};

TEST(Operations, ShapesOfOutputs) {
  const Operand square{"w", {.w = 32, .c = 64}};
  const Operand gamma{"gamma", {.c = 64}};
  const ShapeCase cases[] = {
      {"embedding", Embedding{}, {{"ids", {.w = 16}}, {"table", {.w = 1000, .c = 64}}}, {x.shape}},
      {"linear", Linear{}, {x, square}, {{.w = 16, .c = 32}}},
      {"linear with bias", Linear{}, {x, square, {"bias", {.c = 32}}}, {{.w = 16, .c = 32}}},
      {"linear with bias after a norm",
       Linear{.normalizes = true},
       {x, square, {"bias", {.c = 32}}, gamma},
       {{.w = 16, .c = 32}}},
      {"gated linear", GatedLinear{}, {x, square, square}, {{.w = 16, .c = 32}}},
      {"RMS norm", RmsNorm{}, {x, gamma}, {x.shape}},
      {"sum and norm", AddRmsNorm{}, {x, x, gamma}, {x.shape, x.shape}},
      {"add of a vector", single(ElementOp::Add), {x, {"bias", {.c = 64}}}, {x.shape}},
      {"add to a scalar", single(ElementOp::Add), {{"scalar", {}}, x}, {x.shape}},
      {"outer product", single(ElementOp::Multiply), {{"a", {.w = 5}}, {"b", {.c = 7}}}, {{.w = 5, .c = 7}}},
      {"RoPE", rope8, {x, freq4}, {x.shape}},
      {"head norm", HeadNorm{.head_size = 4}, {x, freq4}, {x.shape}},
      {"head layout", HeadLayout{2, 8}, {x}, {{.h = 2, .w = 64, .c = 8}}},
      {"cache write", CacheWrite{}, {k16, cache}, {cache.shape}},
      {"QKV", qkv, {q32, k16, v16, freq4, cache, cache}, {{.h = 2, .w = 8, .c = 8}, cache.shape, cache.shape}},
      {"merged QKV",
       merged_qkv,
       {{"qkv", {.w = 4, .c = 64}}, freq4, cache, cache},
       {{.h = 2, .w = 8, .c = 8}, cache.shape, cache.shape}},
      {"normed QKV",
       normed_qkv,
       {q32, k16, v16, freq4, cache, cache, {"q_gamma", {.c = 8}}, {"k_gamma", {.c = 8}}},
       {{.h = 2, .w = 8, .c = 8}, cache.shape, cache.shape}},
      {"attention over a ring",
       Attention{.heads = 4, .window = 97, .ring = true},
       {{"q", {.h = 2, .w = 8, .c = 8}}, cache, cache},
       {{.w = 4, .c = 32}}},
      {"attention", Attention{.heads = 4}, {{"q", {.h = 2, .w = 8, .c = 8}}, cache, cache}, {{.w = 4, .c = 32}}},
      {"last token", SelectToken{}, {x}, {{.w = 1, .c = 64}}},
      {"next token",
       SampleToken{.top_k = 40, .window = 8},
       {logits, settings4, numbers, history8, next_id, run4},
       {{.w = 8, .c = 2}, {.c = 1}, {.c = 4}}},
  };
  for (const ShapeCase& test : cases) EXPECT_EQ(output_shapes(test.operation, test.inputs), test.shapes) << test.what;
}

TEST(Operations, CacheWritesSayWhichStateTheyWrite) {
  EXPECT_EQ(written_state(CacheWrite{}, 0), 1);
  EXPECT_EQ(written_state(qkv, 0), -1);
  EXPECT_EQ(written_state(qkv, 1), 4);
  EXPECT_EQ(written_state(qkv, 2), 5);
  EXPECT_EQ(written_state(normed_qkv, 2), 5);
  EXPECT_EQ(written_state(merged_qkv, 1), 2);
  EXPECT_EQ(written_state(merged_qkv, 2), 3);
  EXPECT_EQ(written_state(Linear{}, 0), -1);
}

}  // namespace
}  // namespace driftwood::graph
