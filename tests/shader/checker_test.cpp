// The checker, from text to text: kernels and the typed module they become (checked/), and kernels that are wrong and
// what is said of them (errors/). After an intended change run
//   DRIFTWOOD_REGENERATE_GOLDEN=1 test_shader --gtest_filter='*Check*'
// and read what git shows.
#include "shader/checker.h"

#include <gtest/gtest.h>

#include "shader/ir_printer.h"
#include "source_case.h"

namespace driftwood::test {
namespace {

using namespace shader;

class CheckedKernel : public testing::TestWithParam<std::string> {};

TEST_P(CheckedKernel, BecomesThisModule) {
  const SourceCase given = read_source_case("checked", GetParam());
  expect_golden_text("checked", GetParam(), print(check(given.provider(), "package::main", given.specialization)));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CheckedKernel);
INSTANTIATE_TEST_SUITE_P(Cases, CheckedKernel, testing::ValuesIn(case_names("checked")),
                         [](const auto& instance) { return instance.param; });

class CheckError : public testing::TestWithParam<std::string> {};

TEST_P(CheckError, SaysThis) {
  const SourceCase given = read_source_case("errors", GetParam());
  std::string message = "no error";
  try {
    check(given.provider(), "package::main", given.specialization);
  } catch (const CompileError& error) {
    message = error.what();
  }
  expect_golden_text("errors", GetParam(), message + "\n");
  EXPECT_NE(message, "no error");
}

INSTANTIATE_TEST_SUITE_P(Cases, CheckError, testing::ValuesIn(case_names("errors")),
                         [](const auto& instance) { return instance.param; });

TEST(CheckErrors, AreManyKinds) { EXPECT_GE(case_names("errors").size(), 80U); }

TEST(Check, ChoosesTheEntryPointByName) {
  const SourceCase given = source_case("two",
                                       "@compute @workgroup_size(2) fn a() {}\n"
                                       "@compute @workgroup_size(3) fn b() {}\n");
  const Module module = check(given.provider(), "package::main", {}, "b");
  EXPECT_EQ(module.entry_point->name, "b");
  EXPECT_EQ(module.functions.size(), 1U);
  EXPECT_EQ(module.entry_point->workgroup_size[0], 3U);
}

TEST(Check, GivesBindingsInOrderOfDeclarationAndFusionsAfter) {
  const SourceCase given =
      source_case("bindings",
                  "// tensor: y f32 1,1,4,1,8\n// tensor: unused f32 1,1,4,1,8\n"
                  "// tensor: x f32 1,1,4,1,8\n// tensor: bias f32 1,1,1,1,8\n"
                  "@tensor var<write> y: tensor<f32>;\n"
                  "@tensor var<read> unused: tensor<f32>;\n"
                  "@tensor var<read> x: tensor<f32>;\n"
                  "@fusion fn epilogue(value: vec4f, s: u32) -> vec4f { return value; }\n"
                  "@compute @workgroup_size(1)\n"
                  "fn main() { tensorStore(y, 0, epilogue(tensorLoad(x, 0), 0)); }\n"
                  "//// fusion epilogue\n"
                  "@tensor var<read> bias: tensor<f32>;\n"
                  "fn epilogue(value: vec4f, s: u32) -> vec4f { return value + tensorLoad(bias, s); }\n");
  const Module module = check(given.provider(), "package::main", given.specialization);
  ASSERT_EQ(module.resources.size(), 3U);
  EXPECT_EQ(module.resources[0]->name, "y");
  EXPECT_EQ(module.resources[1]->name, "x");
  EXPECT_EQ(module.resources[2]->name, "bias");
  EXPECT_EQ(module.resources[2]->binding, 2U);
}

TEST(Check, MarksWhatADeviceMustHave) {
  const auto module_of = [](const std::string& statement) {
    const SourceCase given = source_case("marks", "@compute @workgroup_size(1) fn main() { " + statement + " }\n");
    return check(given.provider(), "package::main", {});
  };
  EXPECT_FALSE(module_of("").uses_f16);
  EXPECT_TRUE(module_of("var a: vec2<f16>;").uses_f16);
  EXPECT_TRUE(module_of("_ = subgroupAdd(1u);").uses_subgroups);
  EXPECT_TRUE(module_of("var a = 1u; _ = dot4I8Packed(a, a);").uses_packed_dot);
}

}  // namespace
}  // namespace driftwood::test
