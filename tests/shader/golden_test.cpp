// Kernels and the OpenCL C, Metal and WGSL they become, as files that a person reads in a diff. After an intended
// change run
//   DRIFTWOOD_REGENERATE_GOLDEN=1 test_shader --gtest_filter='*Golden*'
// and read what git shows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "base/error.h"
#include "golden_case.h"
#include "shader/emit_metal.h"
#include "shader/emit_wgsl.h"
#include "shader/ir_printer.h"
#include "support/naga.h"

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

// A case for the languages that have no pipeline of a workgroup: loops and barriers stand in its place.
GoldenCase without_pipeline(const std::string& name) {
  GoldenCase golden = read_golden_case(name);
  golden.traits.has_pipeline = false;
  return golden;
}

// What Metal has not says its file.
TEST_P(Golden, KernelBecomesThisMetal) {
  const GoldenCase golden = without_pipeline(GetParam());
  const shader::Module module = compile(golden);
  std::string text;
  try {
    text = shader::emit_metal(module);
  } catch (const Unsupported& error) {
    text = std::string("// Unsupported: ") + error.what() + "\n";
  }
  expect_file(golden_path(golden.name, ".metal"), text);
}

shader::WgslDialect wgsl_dialect(const shader::TargetTraits& traits, shader::WgslDialect::Compiler compiler) {
  return {.f16 = traits.has_f16_arithmetic || traits.has_matrices,
          .subgroups = traits.has_subgroups || traits.has_matrices,
          .packed_dot = traits.has_packed_dot,
          .matrices = traits.has_matrices,
          .compiler = compiler};
}

TEST_P(Golden, KernelBecomesThisWgsl) {
  const GoldenCase golden = without_pipeline(GetParam());
  const shader::Module module = compile(golden);
  std::string text;
  try {
    shader::WgslDialect dialect = wgsl_dialect(golden.traits, shader::WgslDialect::Compiler::Tint);
    dialect.untyped_matrix_memory = golden.has_untyped_matrix_memory;
    text = shader::emit_wgsl(module, dialect);
  } catch (const Unsupported& error) {
    text = std::string("// Unsupported: ") + error.what() + "\n";
  }
  expect_file(golden_path(golden.name, ".out.wgsl"), text);
}

TEST(GoldenWgsl, IsValidForNaga) {
  if (!has_naga()) GTEST_SKIP() << "naga is not installed";
  // It takes no pointers to workgroup memory as parameters.
  const std::set<std::string> refused = {"array_parameters_plain", "pointers"};
  std::map<std::string, std::string> texts;
  for (const std::string& name : golden_names()) {
    const GoldenCase golden = without_pipeline(name);
    try {
      const std::string text =
          shader::emit_wgsl(compile(golden), wgsl_dialect(golden.traits, shader::WgslDialect::Compiler::Naga));
      if (!refused.contains(name)) texts[name] = text;
    } catch (const Unsupported&) {
    }
  }
  EXPECT_GE(texts.size(), 95U);
  EXPECT_EQ(naga_complaints(texts), "");
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
