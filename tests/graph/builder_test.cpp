#include "graph/builder.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "graph/dump.h"
#include "layer.h"

namespace driftwood::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.message();
  }
  return "no error";
}

TEST(Builder, ErrorsAreThrownWhereTheOperationIsCalled) {
  Builder b({.max_tokens = 4});
  const Tensor x = b.input("x", {.w = 4, .c = 32});
  const Tensor w = b.weights({.format = DataType::F32, .columns = 31, .blocks = {{"w", 8}}});
  EXPECT_EQ(error_of([&] { b.linear(x, w); }),
            "linear: the input 'x' (1, 1, 4, 32) has 32 channels, but the weights 'w' (8 x 31) take 31.");
}

TEST(Builder, NamesAreUnique) {
  Builder b({.max_tokens = 4});
  const Tensor x = b.input("x", {.w = 4, .c = 3});
  EXPECT_EQ(error_of([&] { b.input("x", {}); }), "The name 'x' is taken by another value: input (1, 1, 4, 3).");
  EXPECT_EQ(error_of([&] { b.vector("x", {1}); }), "The name 'x' is taken by another value: input (1, 1, 4, 3).");
  EXPECT_EQ(error_of([&] { b.output("x", b.silu(x)); }), "The name 'x' is taken by another value: input (1, 1, 4, 3).");
}

TEST(Builder, TheSameWeightsConstantsAndStatesAreTheSameTensor) {
  Builder b;
  const WeightsSource source{.format = DataType::Q4_0, .columns = 64, .blocks = {{"a", 8}, {"b", 4}}};
  const Tensor w = b.weights(source);
  EXPECT_EQ(w.name(), "a + b");
  EXPECT_EQ(w.shape(), (Shape{.w = 12, .c = 64}));
  EXPECT_EQ(b.weights(source).id(), w.id());
  EXPECT_EQ(b.vector("gamma", {1, 2}).id(), b.vector("gamma", {1, 2}).id());
  EXPECT_THAT(error_of([&] { b.vector("gamma", {1, 3}); }), HasSubstr("'gamma' is taken"));
  EXPECT_EQ(b.state("K", {.w = 8}, DataType::F16).id(), b.state("K", {.w = 8}, DataType::F16).id());
  EXPECT_THAT(error_of([&] { b.state("K", {.w = 8}, DataType::F32); }), HasSubstr("'K' is taken"));
}

TEST(Builder, RefusesWhatMakesNoSense) {
  Builder b, other;
  const Tensor x = b.input("x", {.c = 4});
  EXPECT_EQ(error_of([&] {
              b.constant("c", {.c = 4}, {1, 2});
            }),
            "The constant 'c' has 2 values, but its shape (1, 1, 1, 4) holds 4.");
  EXPECT_EQ(error_of([&] {
              b.weights({.columns = 4, .blocks = {{"w", 0}}});
            }),
            "The weights 'w' have 0 rows and 4 columns; both must be at least 1.");
  EXPECT_EQ(error_of([&] { b.output("y", x); }),
            "The input 'x' cannot be the output 'y': only the result of an operation can.");
  EXPECT_EQ(error_of([&] { other.silu(x); }), "element-wise: the input 'x' belongs to another graph.");
  EXPECT_EQ(error_of([&] { b.cache_write(x, b.input("cache", {.w = 2, .c = 4})); }),
            "cache-write: 'cache' is written but is no state.");
  EXPECT_EQ(error_of([&] { b.unary(ElementOp::Add, x); }), "add: one operand is given, but it takes 2.");
  EXPECT_EQ(error_of([&] { b.binary(ElementOp::Silu, x, x); }), "silu: two operands are given, but it takes 1.");
  EXPECT_EQ(error_of([&] { b.as_type(DataType::I8, b.silu(x)); }),
            "The activation 'element-wise_1' cannot be stored as i8: activations are stored as f32 or f16.");
  EXPECT_EQ(error_of([&] { b.silu(b.state("K", {.h = 2, .w = 8, .c = 32}, DataType::Q8_0)); }),
            "element-wise: the cache 'K' holds blocks of q8_0, which cache writes and attention take.");
  EXPECT_EQ(error_of([&] { b.state("V", {.h = 64, .w = 4000000, .c = 32}, DataType::Q8_0); }),
            "The state 'V' (1, 64, 4000000, 32) in q8_0 takes 2304000000 words, but kernels reach 2147483647.");
}

TEST(Builder, AValueWithItselfIsOneInput) {
  Builder b;
  const Tensor x = b.input("x", {.c = 4});
  b.output("y", b.multiply(x, x));
  const Graph graph = std::move(b).build();
  EXPECT_THAT(to_text(graph), HasSubstr("element-wise(<x>) {multiply(0, 0)}"));
}

TEST(Builder, ScopesAndTypesAreKept) {
  Builder b({.activation = DataType::F16, .max_tokens = 2});
  b.set_scope("blk.0");
  const Tensor x = b.as_type(DataType::F32, b.as("attn", b.silu(b.input("x", {.w = 2, .c = 4}))));
  b.output("y", b.silu(x));
  EXPECT_EQ(to_text(std::move(b).build()),
            "input <x> (1, 1, 2, 4) f32\n"
            "%1 blk.0.attn (1, 1, 2, 4) f32 = element-wise(<x>) {silu(0)}\n"
            "%2 y (1, 1, 2, 4) f32 = element-wise(%1) {silu(0)}\n"
            "output %2 y\n");
}

TEST(Dump, GraphvizNamesEveryNodeOnceAndConnectsThem) {
  Builder b;
  const Tensor x = b.input("x", {.c = 4});
  b.output("y", b.as("sum", b.add(x, b.vector("bias \"b\"", {1, 2, 3, 4}))));
  EXPECT_EQ(to_graphviz(std::move(b).build()),
            "digraph driftwood {\n"
            "  node [shape=box, fontname=\"sans-serif\", style=filled, fillcolor=white];\n"
            "  n0 [label=\"sum\\nelement-wise\\nadd(0, 1)\"];\n"
            "  v0 [label=\"x\\n(1, 1, 1, 4)\", shape=ellipse, fillcolor=\"#ddeeff\"];\n"
            "  v0 -> n0 [label=\"(1, 1, 1, 4)\"];\n"
            "  v1 [label=\"bias \\\"b\\\"\\n(1, 1, 1, 4)\", shape=note, fillcolor=\"#eeeeee\"];\n"
            "  v1 -> n0 [label=\"(1, 1, 1, 4)\"];\n"
            "  o2 [label=\"y\", shape=ellipse, fillcolor=\"#ddffdd\"];\n"
            "  n0 -> o2 [label=\"(1, 1, 1, 4)\"];\n"
            "}\n");
}

TEST(Graph, CheckFindsAValueReadTooEarly) {
  Graph graph = testing::decoder_layer();
  std::swap(graph.nodes()[1], graph.nodes()[2]);
  try {
    graph.check();
    FAIL() << "no error";
  } catch (const InternalError& error) {
    EXPECT_EQ(error.message(), "The node 'q' reads 'norm' before it is produced.");
  }
}

}  // namespace
}  // namespace driftwood::graph
