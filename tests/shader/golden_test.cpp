// Kernels and the OpenCL C and Metal they become, as files that a person reads in a diff. After an intended change run
//   DRIFTWOOD_REGENERATE_GOLDEN=1 test_shader --gtest_filter='*Golden*'
// and read what git shows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "golden_case.h"
#include "shader/emit_metal.h"
#include "shader/ir_printer.h"

namespace driftwood::test {
namespace {

void expect_file(const std::string& path, const std::string& actual) {
  if (std::getenv("DRIFTWOOD_REGENERATE_GOLDEN") != nullptr) std::ofstream(path) << actual;
  EXPECT_EQ(actual, read_text(path));
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, KernelBecomesThisOpenCl) {
  const GoldenCase golden = read_golden_case(GetParam());
  expect_file(golden_path(golden.name, ".cl"), shader::emit_opencl(compile(golden), golden.dialect));
}

// What Metal has not says its file.
TEST_P(Golden, KernelBecomesThisMetal) {
  const GoldenCase golden = read_golden_case(GetParam());
  const shader::Module module = compile(golden);
  std::string text;
  try {
    text = shader::emit_metal(module);
  } catch (const Unsupported& error) {
    text = std::string("// Unsupported: ") + error.what() + "\n";
  }
  expect_file(golden_path(golden.name, ".metal"), text);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Golden, testing::ValuesIn(golden_names()),
                         [](const auto& instance) { return instance.param; });

// Some cases have the optimised module beside them as well, as WGSL-like text.
class OptimizedGolden : public testing::TestWithParam<std::string> {};

TEST_P(OptimizedGolden, KernelIsOptimisedToThis) {
  expect_file(golden_path(GetParam(), ".opt.wgsl"), shader::print(compile(read_golden_case(GetParam()))));
}

std::vector<std::string> optimized_names() {
  std::vector<std::string> names = golden_names();
  std::erase_if(names, [](const std::string& name) { return read_text(golden_path(name, ".opt.wgsl")).empty(); });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Kernels, OptimizedGolden, testing::ValuesIn(optimized_names()),
                         [](const auto& instance) { return instance.param; });

TEST(GoldenCases, AreAtLeastAHundred) { EXPECT_GE(golden_names().size(), 100U); }

}  // namespace
}  // namespace driftwood::test
