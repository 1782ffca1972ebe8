#include <gmock/gmock.h>

#include "base/error.h"
#include "graph/builder.h"
#include "graph/dump.h"
#include "graph/passes/pass.h"
#include "layer.h"

namespace driftwood::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Nodes only: what passes change.
std::string nodes_text(const Graph& graph) {
  std::string result;
  const std::string text = to_text(graph);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    if (text[begin] == '%') result += text.substr(begin, end - begin);
    begin = end;
  }
  return result;
}

// Runs one pass alone and gives the nodes before and after.
struct Rewrite {
  std::size_t count;
  std::string before, after;
};
Rewrite run(Graph graph, std::size_t (*pass)(Graph&)) {
  Rewrite result{.count = 0, .before = nodes_text(graph), .after = {}};
  result.count = pass(graph);
  graph.check();
  result.after = nodes_text(graph);
  return result;
}

struct Parts {
  Builder b{{.max_tokens = 4}};
  Tensor x = b.input("x", {.w = 4, .c = 32});
  Tensor matrix(const std::string& name, std::uint32_t rows = 32) {
    return b.weights({.format = DataType::F32, .columns = 32, .blocks = {{name, rows}}});
  }
  Tensor linear(const std::string& name, const Tensor& input) {
    return b.as(name, b.linear(input, matrix("w" + name)));
  }
  Graph done(const Tensor& y) {
    b.output("y", y);
    return std::move(b).build();
  }
};

TEST(Passes, ADecoderLayerInItsFusedForm) {
  Graph graph = testing::decoder_layer({.tokens = 5});
  std::vector<std::size_t> rewrites;
  for (const PassResult& result : run_passes(graph, {})) rewrites.push_back(result.rewrites);
  EXPECT_EQ(rewrites, (std::vector<std::size_t>{1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(nodes_text(graph),
            "%3 embedding_0 (1, 1, 5, 32) f32 = embedding(<ids>, @embd [64 x 32 q4_0])\n"
            "%5 norm (1, 1, 5, 32) f32 = rms-norm(%3, @attn_norm) {epsilon 1e-05}\n"
            "%38 q.qkv (1, 1, 5, 64) f32 = linear(%5, @wq + wk + wv [64 x 32 q4_0])\n"
            "%18 heads (1, 2, 10, 8) f32, %14 k_write in #K, %16 v_write in #V = rope-qkv(%38, @freq, #K, #V) "
            "{heads 4, KV heads 2, head size 8, rotary 8, halves, merged}\n"
            "%19 attention (1, 1, 5, 32) f32 = attention(%18, %14, %16) {heads 4, scale 0.5, causal}\n"
            "%21 wo_out (1, 1, 5, 32) f32 = linear(%19, @wo [32 x 32 q4_0])\n"
            "%22 sum (1, 1, 5, 32) f32, %24 feed (1, 1, 5, 32) f32 = add-rms-norm(%3, %21, @ffn_norm) {epsilon 1e-05}\n"
            "%30 product (1, 1, 5, 64) f32 = gated-linear(%24, @wgate [64 x 32 q4_0], @wup [64 x 32 q4_0]) {silu}\n"
            "%33 out (1, 1, 5, 32) f32 = linear(%30, @wdown [32 x 64 q4_0]) | add(1, 0) with %22\n"
            "%35 last (1, 1, 1, 32) f32 = select-token(%33)\n"
            "%36 logits (1, 1, 1, 64) f32 = linear(%35, @head [64 x 32 q4_0])\n");
}

// Six launches: norms are applied by the linears that read them, sums are stored by those that make them.
TEST(Passes, ADecoderLayerOfOneTokenInItsFusedForm) {
  Graph graph = testing::decoder_layer({.tokens = 1});
  std::vector<std::size_t> rewrites;
  for (const PassResult& result : run_passes(graph, {})) rewrites.push_back(result.rewrites);
  EXPECT_EQ(rewrites, (std::vector<std::size_t>{1, 1, 1, 1, 2, 0, 0, 2, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(nodes_text(graph),
            "%3 embedding_0 (1, 1, 1, 32) f32 = embedding(<ids>, @embd [64 x 32 q4_0])\n"
            "%38 q.qkv (1, 1, 1, 64) f32 = linear(%3, @wq + wk + wv [64 x 32 q4_0], @attn_norm) "
            "{normalizes, epsilon 1e-05}\n"
            "%18 heads (1, 2, 2, 8) f32, %14 k_write in #K, %16 v_write in #V = rope-qkv(%38, @freq, #K, #V) "
            "{heads 4, KV heads 2, head size 8, rotary 8, halves, merged}\n"
            "%19 attention (1, 1, 1, 32) f32 = attention(%18, %14, %16) {heads 4, scale 0.5, causal}\n"
            "%22 sum (1, 1, 1, 32) f32 = linear(%19, @wo [32 x 32 q4_0]) | add(1, 0) with %3\n"
            "%30 product (1, 1, 1, 64) f32 = gated-linear(%22, @wgate [64 x 32 q4_0], @wup [64 x 32 q4_0], @ffn_norm) "
            "{silu, normalizes, epsilon 1e-05}\n"
            "%33 out (1, 1, 1, 32) f32 = linear(%30, @wdown [32 x 64 q4_0]) | add(1, 0) with %22\n"
            "%36 logits (1, 1, 1, 64) f32 = linear(%33, @head [64 x 32 q4_0])\n");
}

TEST(Passes, EachCanBeSwitchedOff) {
  for (const Pass& pass : passes()) {
    Graph graph = testing::decoder_layer();
    const std::vector<std::string> disabled{std::string(pass.name)};
    for (const PassResult& result : run_passes(graph, disabled)) EXPECT_NE(result.name, pass.name);
  }
  Graph graph = testing::decoder_layer();
  const std::string before = nodes_text(graph);
  std::vector<std::string> all;
  for (const Pass& pass : passes()) all.emplace_back(pass.name);
  EXPECT_TRUE(run_passes(graph, all).empty());
  EXPECT_EQ(nodes_text(graph), before);
}

TEST(Passes, AnUnknownNameIsAnErrorThatListsTheKnown) {
  Graph graph = testing::decoder_layer();
  const std::vector<std::string> disabled{"fuse-everything"};
  try {
    run_passes(graph, disabled);
    FAIL() << "no error";
  } catch (const InvalidInput& error) {
    EXPECT_EQ(error.message(),
              "There is no pass 'fuse-everything' to switch off; the passes are 'fuse-rope-cache', 'merge-linears', "
              "'fuse-gated', 'remove-select', 'fuse-norm', 'fuse-qkv', 'fuse-add-norm', 'fuse-elementwise', "
              "'fuse-prologue', 'split-shortcut', 'fuse-concat', 'remove-dead', 'join-linears', 'tile-inputs'.");
  }
}

TEST(FuseRopeCache, WithoutItRopeLayoutAndWritesAreNodesOfTheirOwn) {
  Graph graph = testing::decoder_layer();
  const std::vector<std::string> disabled{"fuse-rope-cache"};
  run_passes(graph, disabled);
  const std::string text = nodes_text(graph);
  for (const char* operation : {"= rope(", "= head-layout(", "= cache-write("}) EXPECT_THAT(text, HasSubstr(operation));
}

TEST(FuseRopeCache, LeavesAloneWhatReadsARotatedKeyElsewhere) {
  Builder b({.max_tokens = 2});
  const Rope rope{.head_size = 8, .rotary = 8};
  const Tensor x = b.input("x", {.w = 2, .c = 16}), f = b.vector("f", {1, 1, 1, 1});
  const Shape cache{.h = 2, .w = 4, .c = 8};
  const Tensor k = b.rope(x, f, rope);
  const Tensor kc = b.cache_write(k, b.state("K", cache, DataType::F32));
  const Tensor vc = b.cache_write(x, b.state("V", cache, DataType::F32));
  b.output("keys", b.silu(k));
  b.output("y", b.attention(b.head_layout(b.rope(x, f, rope), 2, 8), kc, vc, {.heads = 2}));
  EXPECT_EQ(run(std::move(b).build(), fuse_rope_cache).count, 0U);
}

TEST(FuseRopeCache, TakesTheNormsOfQueriesAndKeysIn) {
  Graph graph = testing::decoder_layer({.q_normed = true, .k_normed = true});
  run_passes(graph, {});
  EXPECT_THAT(nodes_text(graph), HasSubstr("@freq, #K, #V, @q_norm_gamma, @k_norm_gamma) {heads 4, KV heads 2, "
                                           "head size 8, rotary 8, halves, normed with epsilon 1e-06, merged}\n"));
  EXPECT_THAT(nodes_text(graph), Not(HasSubstr("head-norm")));
}

TEST(FuseRopeCache, ANormOfOneOfThemStaysANodeOfItsOwn) {
  for (const bool is_query : {true, false}) {
    Graph graph = testing::decoder_layer({.q_normed = is_query, .k_normed = !is_query});
    run_passes(graph, {});
    const std::string text = nodes_text(graph);
    EXPECT_THAT(text, HasSubstr("= head-norm("));
    EXPECT_THAT(text, HasSubstr("@freq, #K, #V) {heads 4, KV heads 2, head size 8, rotary 8, halves}\n"));
  }
}

TEST(FuseRopeCache, NormsThatDifferStayNodesOfTheirOwn) {
  Builder b({.max_tokens = 2});
  const Rope rope{.head_size = 8, .rotary = 8};
  const Tensor x = b.input("x", {.w = 2, .c = 16}), f = b.vector("f", {1, 1, 1, 1});
  const Tensor gamma = b.vector("gamma", std::vector<float>(8, 1.0F));
  const Shape cache{.h = 2, .w = 4, .c = 8};
  const Tensor kc = b.cache_write(b.rope(b.head_norm(x, gamma, 8, 1e-6F), f, rope), b.state("K", cache, DataType::F32));
  const Tensor vc = b.cache_write(x, b.state("V", cache, DataType::F32));
  const Tensor q = b.rope(b.head_norm(x, gamma, 8, 1e-5F), f, rope);
  b.output("y", b.attention(b.head_layout(q, 2, 8), kc, vc, {.heads = 2}));
  const Rewrite rewrite = run(std::move(b).build(), fuse_rope_cache);
  EXPECT_EQ(rewrite.count, 1U);
  EXPECT_THAT(rewrite.after, HasSubstr("head-norm(<x>, @gamma) {head size 8, epsilon 1e-06}"));
  EXPECT_THAT(rewrite.after, HasSubstr("head-norm(<x>, @gamma) {head size 8, epsilon 1e-05}"));
  EXPECT_THAT(rewrite.after, Not(HasSubstr("normed")));
}

TEST(MergeLinears, MergesBiasesToo) {
  Graph graph = testing::decoder_layer({.tokens = 5, .biased = true});
  run_passes(graph, {});
  EXPECT_THAT(nodes_text(graph), HasSubstr("linear(%5, @wq + wk + wv [64 x 32 q4_0], @bq + bk + bv)"));
  const Value* bias = graph.find("bq + bk + bv");
  ASSERT_NE(bias, nullptr);
  EXPECT_EQ(bias->constant->size(), 64U);
}

TEST(MergeLinears, LeavesMatricesOfDifferentFormatsAndOddHeadsApart) {
  for (const testing::LayerOptions& options : {testing::LayerOptions{.v_format = DataType::Q8_0},
                                               testing::LayerOptions{.heads = 16, .kv_heads = 16, .head_size = 2},
                                               testing::LayerOptions{.heads = 16, .kv_heads = 1, .head_size = 2}}) {
    Graph graph = testing::decoder_layer(options);
    run_passes(graph, {});
    const bool whole_slices = options.kv_heads * options.head_size % 4 == 0 && options.v_format == DataType::Q4_0;
    EXPECT_THAT(nodes_text(graph), HasSubstr(whole_slices ? ", merged}" : "rope-qkv(%7, %9, %11, "));
  }
}

TEST(FuseGated, TakesTheActivationFromEitherSide) {
  Parts p;
  const Rewrite left = run(p.done(p.b.multiply(p.b.silu(p.linear("gate", p.x)), p.linear("up", p.x))), fuse_gated);
  EXPECT_EQ(left.after,
            "%6 y (1, 1, 4, 32) f32 = gated-linear(<x>, @wgate [32 x 32 f32], @wup [32 x 32 f32]) {silu}\n");
  Parts q;
  const Tensor up = q.linear("up", q.x);
  const Rewrite right = run(q.done(q.b.multiply(up, q.b.gelu_tanh(q.linear("gate", q.x)))), fuse_gated);
  EXPECT_EQ(right.after,
            "%6 y (1, 1, 4, 32) f32 = gated-linear(<x>, @wgate [32 x 32 f32], @wup [32 x 32 f32]) {gelu_tanh}\n");
}

TEST(FuseGated, NeedsOneInputAndPrivateProjections) {
  Parts different;
  const Tensor other = different.b.input("other", {.w = 4, .c = 32});
  Tensor y =
      different.b.multiply(different.b.silu(different.linear("gate", different.x)), different.linear("up", other));
  EXPECT_EQ(run(different.done(y), fuse_gated).count, 0U);
  Parts shared;
  const Tensor gate = shared.linear("gate", shared.x);
  y = shared.b.add(shared.b.multiply(shared.b.silu(gate), shared.linear("up", shared.x)), gate);
  EXPECT_EQ(run(shared.done(y), fuse_gated).count, 0U);
}

TEST(RemoveSelect, TheOnlyTokenOfARunIsRead) {
  Builder b({.max_tokens = 1});
  const Tensor x = b.input("x", {.w = 1, .c = 8});
  const Tensor last = b.select_token(x);
  b.output("y", b.add(b.silu(last), last));
  EXPECT_EQ(run(std::move(b).build(), remove_select).after,
            "%2 element-wise_1 (1, 1, 1, 8) f32 = element-wise(<x>) {silu(0)}\n"
            "%3 y (1, 1, 1, 8) f32 = element-wise(%2, <x>) {add(0, 1)}\n");
  Builder several({.max_tokens = 2});
  several.output("y", several.silu(several.select_token(several.input("x", {.w = 2, .c = 8}))));
  EXPECT_EQ(run(std::move(several).build(), remove_select).count, 0U);
  Builder output({.max_tokens = 1});
  output.output("y", output.select_token(output.input("x", {.w = 1, .c = 8})));
  EXPECT_EQ(run(std::move(output).build(), remove_select).count, 0U);
}

TEST(FuseNorm, EveryReaderTakesIt) {
  Parts p;
  const Tensor gamma = p.b.vector("gamma", std::vector<float>(32, 1));
  const Tensor normed = p.b.rms_norm(p.x, gamma, 1e-6F);
  const Tensor bias = p.b.vector("bias", std::vector<float>(32, 1));
  const Tensor a = p.b.linear(normed, p.matrix("wa"), bias);
  const Tensor b = p.b.gated_linear(normed, p.matrix("wb"), p.matrix("wc"), ElementOp::GeluTanh);
  const Rewrite rewrite = run(p.done(p.b.add(a, b)), fuse_norm);
  EXPECT_EQ(rewrite.count, 1U);
  EXPECT_EQ(rewrite.after,
            "%5 linear_1 (1, 1, 4, 32) f32 = linear(<x>, @wa [32 x 32 f32], @bias, @gamma) {normalizes, epsilon "
            "1e-06}\n"
            "%8 gated-linear_2 (1, 1, 4, 32) f32 = gated-linear(<x>, @wb [32 x 32 f32], @wc [32 x 32 f32], @gamma) "
            "{gelu_tanh, normalizes, epsilon 1e-06}\n"
            "%9 y (1, 1, 4, 32) f32 = element-wise(%5, %8) {add(0, 1)}\n");
}

TEST(FuseNorm, LeavesNormsThatOthersReadOrOfManyRows) {
  const std::vector<float> ones(32, 1);
  Parts read_twice;
  Tensor normed = read_twice.b.rms_norm(read_twice.x, read_twice.b.vector("gamma", ones), 1e-6F);
  EXPECT_EQ(run(read_twice.done(read_twice.b.add(read_twice.linear("a", normed), normed)), fuse_norm).count, 0U);
  Parts is_output;
  normed = is_output.b.rms_norm(is_output.x, is_output.b.vector("gamma", ones), 1e-6F);
  is_output.b.output("normed", normed);
  EXPECT_EQ(run(is_output.done(is_output.linear("a", normed)), fuse_norm).count, 0U);
  // A norm of a norm: the second is the linear's, the first stays.
  Parts twice;
  const Tensor gamma = twice.b.vector("gamma", ones);
  normed = twice.b.rms_norm(twice.b.rms_norm(twice.x, gamma, 1e-6F), gamma, 1e-6F);
  EXPECT_EQ(run(twice.done(twice.linear("a", normed)), fuse_norm).count, 1U);
  Builder b({.max_tokens = 5});
  const Tensor weights = b.weights({.format = DataType::F32, .columns = 32, .blocks = {{"w", 8}}});
  normed = b.rms_norm(b.input("x", {.w = 5, .c = 32}), b.vector("gamma", ones), 1e-6F);
  b.output("y", b.linear(normed, weights));
  EXPECT_EQ(run(std::move(b).build(), fuse_norm).count, 0U);
}

TEST(FuseAddNorm, TheSumStaysThereForOthers) {
  Parts p;
  const Tensor r = p.b.input("r", {.w = 4, .c = 32});
  const Tensor sum = p.b.as("sum", p.b.add(p.x, r));
  const Tensor y = p.b.rms_norm(sum, p.b.vector("gamma", std::vector<float>(32, 1)), 1e-6F);
  const Rewrite rewrite = run(p.done(p.b.add(y, sum)), fuse_add_norm);
  EXPECT_EQ(rewrite.before,
            "%2 sum (1, 1, 4, 32) f32 = element-wise(<x>, <r>) {add(0, 1)}\n"
            "%4 rms-norm_1 (1, 1, 4, 32) f32 = rms-norm(%2, @gamma) {epsilon 1e-06}\n"
            "%5 y (1, 1, 4, 32) f32 = element-wise(%4, %2) {add(0, 1)}\n");
  EXPECT_EQ(rewrite.after,
            "%2 sum (1, 1, 4, 32) f32, %4 rms-norm_1 (1, 1, 4, 32) f32 = add-rms-norm(<x>, <r>, @gamma) {epsilon "
            "1e-06}\n"
            "%5 y (1, 1, 4, 32) f32 = element-wise(%4, %2) {add(0, 1)}\n");
}

TEST(FuseAddNorm, ABroadcastTermIsNoResidual) {
  Parts p;
  const Tensor gamma = p.b.vector("gamma", std::vector<float>(32, 1));
  EXPECT_EQ(run(p.done(p.b.rms_norm(p.b.add(p.x, gamma), gamma, 1e-6F)), fuse_add_norm).count, 0U);
}

TEST(FuseElementWise, AChainGoesIntoItsProducer) {
  Parts p;
  const Rewrite rewrite = run(p.done(p.b.clamp(p.b.scale(p.b.silu(p.linear("a", p.x)), 2), -1, 1)), fuse_element_wise);
  EXPECT_EQ(rewrite.after,
            "%5 y (1, 1, 4, 32) f32 = linear(<x>, @wa [32 x 32 f32]) | silu(0) -> 1; scale(1, 2) -> 2; clamp(2, -1, "
            "1)\n");
}

TEST(FuseElementWise, TwoBranchesMeetInTheProducerThatRunsLast) {
  Parts p;
  const Tensor a = p.linear("a", p.x), b = p.linear("b", p.x);
  const Rewrite rewrite = run(p.done(p.b.multiply(p.b.silu(a), b)), fuse_element_wise);
  EXPECT_EQ(rewrite.before,
            "%2 a (1, 1, 4, 32) f32 = linear(<x>, @wa [32 x 32 f32])\n"
            "%4 b (1, 1, 4, 32) f32 = linear(<x>, @wb [32 x 32 f32])\n"
            "%5 element-wise_2 (1, 1, 4, 32) f32 = element-wise(%2) {silu(0)}\n"
            "%6 y (1, 1, 4, 32) f32 = element-wise(%5, %4) {multiply(0, 1)}\n");
  EXPECT_EQ(rewrite.after,
            "%4 b (1, 1, 4, 32) f32 = linear(<x>, @wb [32 x 32 f32])\n"
            "%6 y (1, 1, 4, 32) f32 = linear(<x>, @wa [32 x 32 f32]) | silu(0) -> 2; multiply(2, 1) with %4\n");
}

TEST(FuseElementWise, AResidualGoesIntoTheLinearsEpilogue) {
  Parts p;
  EXPECT_EQ(run(p.done(p.b.add(p.x, p.linear("a", p.b.silu(p.x)))), fuse_element_wise).after,
            "%1 element-wise_0 (1, 1, 4, 32) f32 = element-wise(<x>) {silu(0)}\n"
            "%4 y (1, 1, 4, 32) f32 = linear(%1, @wa [32 x 32 f32]) | add(1, 0) with <x>\n");
}

TEST(FuseElementWise, ChainsWithoutAProducerBecomeOneNode) {
  Parts p;
  const Tensor r = p.b.input("r", {.w = 4, .c = 32});
  const Tensor sum = p.b.add(p.x, r), activated = p.b.silu(p.x);
  EXPECT_EQ(run(p.done(p.b.multiply(sum, activated)), fuse_element_wise).after,
            "%4 y (1, 1, 4, 32) f32 = element-wise(<x>, <r>) {silu(0) -> 2; add(0, 1) -> 3; multiply(3, 2)}\n");
}

TEST(FuseElementWise, TwoReadersInOneChainAreOneReader) {
  Parts p;
  const Tensor a = p.linear("a", p.x);
  EXPECT_EQ(run(p.done(p.b.multiply(p.b.silu(a), a)), fuse_element_wise).after,
            "%4 y (1, 1, 4, 32) f32 = linear(<x>, @wa [32 x 32 f32]) | silu(0) -> 1; multiply(1, 0)\n");
}

TEST(FuseElementWise, NothingIsComputedTwice) {
  // A value with another reader stays, and so does a vector that would be computed anew for each token.
  Parts p;
  const Tensor a = p.linear("a", p.x);
  const Tensor last = p.linear("b", a);
  EXPECT_EQ(run(p.done(p.b.add(last, p.b.silu(a))), fuse_element_wise).after,
            "%2 a (1, 1, 4, 32) f32 = linear(<x>, @wa [32 x 32 f32])\n"
            "%6 y (1, 1, 4, 32) f32 = linear(%2, @wb [32 x 32 f32]) | silu(1) -> 2; add(0, 2) with %2\n");
  Parts q;
  const Tensor vector = q.b.unary(ElementOp::Exp, q.b.input("vector", {.c = 32}));
  EXPECT_EQ(run(q.done(q.b.add(vector, q.linear("a", q.x))), fuse_element_wise).after,
            "%2 element-wise_0 (1, 1, 1, 32) f32 = element-wise(<vector>) {exp(0)}\n"
            "%5 y (1, 1, 4, 32) f32 = linear(<x>, @wa [32 x 32 f32]) | add(1, 0) with %2\n");
}

TEST(FuseElementWise, AnOutputKeepsItsNode) {
  Parts p;
  const Tensor a = p.linear("a", p.x);
  const Tensor y = p.b.silu(a);
  p.b.output("a", a);
  EXPECT_EQ(run(p.done(y), fuse_element_wise).count, 0U);
}

TEST(RemoveDead, KeepsWhatOutputsAndStatesNeed) {
  Parts p;
  p.linear("unused", p.b.silu(p.x));
  const Tensor state = p.b.state("K", {.h = 1, .w = 8, .c = 32}, DataType::F32);
  p.b.as("write", p.b.cache_write(p.linear("k", p.x), state));
  const Rewrite rewrite = run(p.done(p.b.silu(p.x)), remove_dead);
  EXPECT_EQ(rewrite.count, 2U);
  EXPECT_EQ(rewrite.after,
            "%6 k (1, 1, 4, 32) f32 = linear(<x>, @wk [32 x 32 f32])\n"
            "%7 write in #K = cache-write(%6, #K)\n"
            "%8 y (1, 1, 4, 32) f32 = element-wise(<x>) {silu(0)}\n");
}

}  // namespace
}  // namespace driftwood::graph
