#include "graph/epilogue.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"
#include "graph/builder.h"
#include "graph/passes/pass.h"

namespace driftwood::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string source(const ElementWise& program, const std::vector<Shape>& inputs, const Shape& output) {
  return fusion_source("epilogue", "fused", program, inputs, output);
}

TEST(Epilogue, NothingForNoProgram) { EXPECT_EQ(source({}, {}, {.c = 4}), ""); }

TEST(Epilogue, ReadsFusedTensorsAtTheCoordinateThatIsStored) {
  const ElementWise program = compose(single(ElementOp::Multiply), 0, single(ElementOp::Silu));
  EXPECT_EQ(source(program, {{.w = 16, .c = 64}}, {.w = 16, .c = 64}),
            "@tensor var<read> fused_0: tensor<f32>;\n"
            "fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {\n"
            "  let t1 = tensorLoad(fused_0, b, y, x, s);\n"
            "  let t2 = value / (1.0 + exp(-value));\n"
            "  let t3 = t2 * t1;\n"
            "  return t3;\n"
            "}\n");
}

TEST(Epilogue, VectorsAndScalarsBroadcast) {
  const Shape output{.b = 2, .h = 3, .w = 16, .c = 64};
  EXPECT_THAT(source(single(ElementOp::Add), {{.c = 64}}, output),
              HasSubstr("let t1 = tensorLoad(fused_0, 0u, 0u, 0u, s);"));
  EXPECT_THAT(source(single(ElementOp::Add), {{}}, output),
              HasSubstr("let t1 = vec4f(tensorLoad(fused_0, 0u, 0u, 0u, 0u).x);"));
  EXPECT_THAT(source(single(ElementOp::Add), {{.h = 3, .w = 16}}, output),
              HasSubstr("let t1 = vec4f(tensorLoad(fused_0, 0u, y, x, 0u).x);"));
}

TEST(Epilogue, TensorsThatAreNotReadAreNotDeclared) {
  const ElementWise program{.inputs = 3, .instructions = {{.op = ElementOp::Add, .a = 0, .b = 2}}};
  const std::string text = source(program, {{.c = 4}, {.c = 4}}, {.c = 4});
  EXPECT_THAT(text, Not(HasSubstr("fused_0")));
  EXPECT_THAT(text, HasSubstr("@tensor var<read> fused_1: tensor<f32>;"));
}

TEST(Epilogue, PaddingChannelsStayZero) {
  const auto masked = HasSubstr("return select(vec4f(0.0), t1, vec4u(s * 4u) + vec4u(0u, 1u, 2u, 3u) < vec4u(5u));");
  EXPECT_THAT(source(single(ElementOp::Sigmoid), {}, {.c = 5}), masked);
  EXPECT_THAT(source(single(ElementOp::Offset, {1, 0}), {}, {.c = 5}), masked);
  // These keep zero, or there is no padding.
  EXPECT_THAT(source(single(ElementOp::Silu), {}, {.c = 5}), Not(HasSubstr("select")));
  EXPECT_THAT(source(single(ElementOp::Add), {{.c = 5}}, {.c = 5}), Not(HasSubstr("select")));
  EXPECT_THAT(source(single(ElementOp::Sigmoid), {}, {.c = 8}), Not(HasSubstr("select")));
  // 0 / 0, and a scalar that is spread over the padding.
  EXPECT_THAT(source(single(ElementOp::Divide), {{.c = 5}}, {.c = 5}), HasSubstr("select"));
  EXPECT_THAT(source(single(ElementOp::Add), {{}}, {.c = 5}), HasSubstr("select"));
  EXPECT_THAT(source(single(ElementOp::Multiply), {{}}, {.c = 5}), Not(HasSubstr("select")));
}

TEST(Epilogue, ConstantsAreFloats) {
  EXPECT_THAT(source(single(ElementOp::Scale, {2, 0}), {}, {.c = 4}), HasSubstr("let t1 = value * 2.0;"));
  EXPECT_THAT(source(single(ElementOp::Offset, {-1.5F, 0}), {}, {.c = 4}), HasSubstr("let t1 = value + (-1.5);"));
  EXPECT_THAT(source(single(ElementOp::Scale, {1e-9F, 0}), {}, {.c = 4}), HasSubstr("value * 1e-09;"));
  EXPECT_THROW(source(single(ElementOp::Scale, {INFINITY, 0}), {}, {.c = 4}), InvalidInput);
}

TEST(Epilogue, ABiasComesBeforeTheRest) {
  Builder b({.max_tokens = 2});
  const Tensor x = b.input("x", {.w = 2, .c = 8});
  const Tensor w = b.weights({.format = DataType::F32, .columns = 8, .blocks = {{"w", 4}}});
  b.output("y", b.silu(b.linear(x, w, b.vector("bias", {1, 2, 3, 4}))));
  Graph graph = std::move(b).build();
  fuse_element_wise(graph);
  ASSERT_EQ(graph.nodes().size(), 1U);
  EXPECT_EQ(operand_count(graph.nodes()[0]), 2U);
  EXPECT_EQ(epilogue_source(graph.nodes()[0], graph),
            "@tensor var<read> fused_0: tensor<f32>;\n"
            "fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {\n"
            "  let t1 = tensorLoad(fused_0, b, y, 0u, s);\n"
            "  let t2 = value + t1;\n"
            "  let t3 = t2 / (1.0 + exp(-t2));\n"
            "  return t3;\n"
            "}\n");
}

TEST(Epilogue, HelpersComeOnceAndOnlyWhereNeeded) {
  const std::string gelu = source(single(ElementOp::GeluErf), {}, {.c = 4});
  EXPECT_THAT(gelu, HasSubstr("fn fused_erf(x: vec4f) -> vec4f {"));
  EXPECT_THAT(gelu, HasSubstr("let t1 = 0.5 * value * (1.0 + fused_erf(0.70710678 * value));"));
  EXPECT_THAT(gelu, Not(HasSubstr("fused_tanh")));
  EXPECT_THAT(source(single(ElementOp::Tanh), {}, {.c = 4}), HasSubstr("fn fused_tanh(x: vec4f) -> vec4f {"));
}

}  // namespace
}  // namespace driftwood::graph
