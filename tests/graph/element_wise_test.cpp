#include "graph/operations/element_wise.h"

#include <gmock/gmock.h>

#include <random>

namespace driftwood::graph {
namespace {

ElementWise random_program(std::mt19937& random, std::uint16_t inputs) {
  constexpr ElementOp ops[] = {ElementOp::Add,  ElementOp::Multiply, ElementOp::Subtract, ElementOp::Tanh,
                               ElementOp::Silu, ElementOp::Scale,    ElementOp::Clamp};
  ElementWise program{.inputs = inputs};
  for (std::uint32_t k = 0; k < 1 + random() % 5; ++k) {
    const auto operands = static_cast<std::uint32_t>(inputs + k);
    ElementInstruction instruction{.op = ops[random() % std::size(ops)]};
    instruction.a = static_cast<std::uint16_t>(random() % operands);
    if (info(instruction.op).operands == 2) instruction.b = static_cast<std::uint16_t>(random() % operands);
    if (info(instruction.op).constants > 0) instruction.constants = {-0.5F, 0.75F};
    program.instructions.push_back(instruction);
  }
  return program;
}

std::vector<double> random_values(std::mt19937& random, std::size_t count) {
  std::uniform_real_distribution<double> range(-2, 2);
  std::vector<double> values(count);
  for (double& value : values) value = range(random);
  return values;
}

TEST(ElementWise, KnownValues) {
  const auto one = [](ElementOp op, double a, std::array<float, 2> constants = {0, 0}) {
    return evaluate(single(op, constants), std::vector{a});
  };
  EXPECT_DOUBLE_EQ(evaluate(single(ElementOp::Divide), std::vector{3.0, 4.0}), 0.75);
  EXPECT_NEAR(one(ElementOp::Silu, 1), 0.7310585786, 1e-9);
  EXPECT_NEAR(one(ElementOp::GeluErf, 1), 0.8413447461, 1e-9);
  EXPECT_NEAR(one(ElementOp::GeluTanh, 1), 0.8411919906, 1e-9);
  EXPECT_NEAR(one(ElementOp::GeluQuick, 1), 0.8457957659, 1e-9);
  EXPECT_DOUBLE_EQ(one(ElementOp::Relu, -1), 0);
  EXPECT_DOUBLE_EQ(one(ElementOp::InverseSqrt, 4), 0.5);
  EXPECT_DOUBLE_EQ(one(ElementOp::Clamp, 7, {-1, 2}), 2);
  EXPECT_DOUBLE_EQ(evaluate(ElementWise{}, std::vector{5.0}), 5);
}

TEST(ElementWise, CompositionComputesTheInnerProgramInPlaceOfAnInput) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    const ElementWise outer = random_program(random, static_cast<std::uint16_t>(1 + random() % 4));
    const ElementWise inner = random() % 8 == 0 ? ElementWise{.inputs = static_cast<std::uint16_t>(1 + random() % 2)}
                                                : random_program(random, static_cast<std::uint16_t>(1 + random() % 3));
    const auto place = static_cast<std::uint16_t>(random() % outer.inputs);
    std::vector<double> outer_inputs = random_values(random, outer.inputs);
    const std::vector<double> inner_inputs = random_values(random, inner.inputs);
    std::vector<double> inputs = outer_inputs;
    inputs.erase(inputs.begin() + place);
    inputs.insert(inputs.begin() + place, inner_inputs.begin(), inner_inputs.end());
    outer_inputs[place] = evaluate(inner, inner_inputs);
    const ElementWise composed = compose(outer, place, inner);
    ASSERT_EQ(composed.inputs, inputs.size());
    EXPECT_DOUBLE_EQ(evaluate(composed, inputs), evaluate(outer, outer_inputs))
        << to_string(outer) << " at " << place << " of " << to_string(inner) << " is " << to_string(composed);
  }
}

TEST(ElementWise, MergedInputsAreOneValue) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const ElementWise program = random_program(random, 4);
    std::vector<double> values = random_values(random, 4);
    values[3] = values[1];
    const ElementWise merged = merge_inputs(program, 1, 3);
    EXPECT_DOUBLE_EQ(evaluate(merged, std::span(values).first(3)), evaluate(program, values)) << to_string(program);
  }
}

TEST(ElementWise, Text) {
  const ElementWise program = compose(single(ElementOp::Multiply), 0, single(ElementOp::Silu));
  EXPECT_EQ(to_string(program), "silu(0) -> 2; multiply(2, 1)");
  EXPECT_EQ(to_string(single(ElementOp::Clamp, {-1, 2.5})), "clamp(0, -1, 2.5)");
}

}  // namespace
}  // namespace driftwood::graph
