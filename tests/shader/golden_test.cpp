// Kernels and the OpenCL C they become, as files that a person reads in a diff. After an intended change run
//   DRIFTWOOD_REGENERATE_GOLDEN=1 test_shader --gtest_filter='*Golden*'
// and read what git shows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "golden_case.h"

namespace driftwood::test {
namespace {

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, KernelBecomesThisOpenCl) {
  const GoldenCase golden = read_golden_case(GetParam());
  const std::string actual = shader::emit_opencl(compile(golden), golden.dialect);
  const std::string path = golden_path(golden.name, ".cl");
  if (std::getenv("DRIFTWOOD_REGENERATE_GOLDEN") != nullptr) std::ofstream(path) << actual;
  EXPECT_EQ(actual, read_text(path));
}

INSTANTIATE_TEST_SUITE_P(Kernels, Golden, testing::ValuesIn(golden_names()),
                         [](const auto& instance) { return instance.param; });

TEST(GoldenCases, AreAtLeastAHundred) { EXPECT_GE(golden_names().size(), 100U); }

}  // namespace
}  // namespace driftwood::test
