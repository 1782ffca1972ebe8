#include "graph/diagnosis.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "support/devices.h"

namespace driftwood::graph {
namespace {

Graph roots_and_sums() {
  Builder b;
  const Tensor x = b.input("x", {.w = 3, .c = 5});
  b.set_scope("block");
  const Tensor root = b.as("root", b.unary(ElementOp::Sqrt, x));
  const Tensor sum = b.as("sum", b.add(root, x));
  b.output("y", b.as("twice", b.scale(sum, 2)));
  return std::move(b).build();
}

std::optional<std::string> diagnose(float first) {
  const auto device = test::device("reference");
  std::vector<float> x(15, 1.0F);
  x[7] = first;
  ProgramSettings settings;
  settings.options.disabled_passes = {"fuse-elementwise"};
  const auto write = [&](Program& program) { program.write_floats("x", x); };
  return first_non_finite(*device, roots_and_sums(), settings, write, {.tokens = 1});
}

TEST(Diagnosis, NamesTheFirstOperationThatGoesWrong) {
  EXPECT_EQ(diagnose(-4.0F), "'block.root' (element-wise) gives a NaN");
  EXPECT_EQ(diagnose(3e38F), "'block.twice' (element-wise) gives an infinity");
}

TEST(Diagnosis, IsSilentWhereAllIsFinite) { EXPECT_EQ(diagnose(4.0F), std::nullopt); }

}  // namespace
}  // namespace driftwood::graph
