// Single passes of the optimiser, on small kernels, from text to text.
#include "shader/optimize.h"

#include <gmock/gmock.h>

#include "kernel_run.h"
#include "shader/checker.h"
#include "shader/diagnostics.h"
#include "shader/emit_opencl.h"
#include "shader/ir_printer.h"

namespace driftwood::shader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Module checked(const std::string& source) {
  const auto provider = [&](std::string_view) { return std::optional(SourceFile{"kernel.wgsl", source}); };
  return check(provider, "package::kernel", {});
}

Module checked_body(const std::string& body) {
  return checked(
      "var<storage, read_write> y: array<f32>;\nvar<storage, read_write> n: array<i32>;\n"
      "@compute @workgroup_size(4)\nfn kernel(@builtin(local_invocation_index) k: u32) {\n" +
      body + "\n}\n");
}

std::string body_after(const std::string& body, const std::function<void(Module&)>& pass) {
  Module module = checked_body(body);
  pass(module);
  return print(*module.entry_point);
}

TEST(FoldConstants, LeavesFloatSumsAlone) {
  const auto fold = [](Module& module) { fold_constants(module); };
  EXPECT_THAT(body_after("y[k] = (y[0] + 1.0) + 2.0;", fold), HasSubstr("+ 1f) + 2f"));
  EXPECT_THAT(body_after("n[k] = (n[0] + 1) + 2;", fold), HasSubstr("n[0i] + 3i"));
  EXPECT_THAT(body_after("y[k] = y[0] + 0.0;", fold), HasSubstr("+ 0f"));
}

TEST(FoldConstants, KeepsTheTakenBranchOnly) {
  const std::string text =
      body_after("if (1 < 2) { y[0] = 5.0; } else { y[0] = 6.0; }", [](Module& m) { fold_constants(m); });
  EXPECT_THAT(text, HasSubstr("5"));
  EXPECT_THAT(text, Not(HasSubstr("6")));
  EXPECT_THAT(text, Not(HasSubstr("if")));
}

// Two components of a variable are no part of it that could be stored to, or read as one.
TEST(InlineFunctions, LeavesSeveralComponentsOfAVariableAValue) {
  Module module = checked_body("var v = vec4f(1.0, 2.0, 3.0, f32(k)); let pair = v.xy + v.zw; y[k] = pair.x * pair.y;");
  inline_functions(module);
  KernelRun run(module);
  run.bind_unwritten(16).run();
  EXPECT_THAT(run.values<float>(0), ElementsAre(8.0F, 12.0F, 16.0F, 20.0F));
}

TEST(FoldConstants, WrapsIntegers) {
  const std::string text = body_after("let a = 2147483647; n[k] = a + 1;", [](Module& module) {
    propagate_lets(module);
    fold_constants(module);
  });
  EXPECT_THAT(text, HasSubstr("-2147483648"));
}

TEST(PropagateLets, DoesNotMoveReadsOfMemory) {
  const std::string text = body_after("let a = y[0]; y[0] = 1.0; y[1] = a;", [](Module& m) { propagate_lets(m); });
  EXPECT_THAT(text, HasSubstr("y[1i] = a"));
}

TEST(Unroll, CopiesTheBody) {
  const std::string text =
      body_after("@unroll\nfor (var i = 0; i < 3; i++) { n[i] = i; }", [](Module& module) { unroll_loops(module); });
  EXPECT_THAT(text, HasSubstr("n[2i] = 2i"));
  EXPECT_THAT(text, Not(HasSubstr("for")));
}

TEST(Unroll, RefusesUnknownTripCounts) {
  Module module = checked_body("@unroll\nfor (var i = 0; i < n[0]; i++) { n[i] = i; }");
  try {
    unroll_loops(module);
    FAIL() << "no error";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.summary(), HasSubstr("at most 1024 turns"));
    EXPECT_THAT(error.message(), HasSubstr("kernel.wgsl:6"));
  }
}

TEST(Unroll, RefusesTooManyTurns) {
  Module module = checked_body("@unroll\nfor (var i = 0; i < 2000; i++) { n[i] = i; }");
  EXPECT_THROW(unroll_loops(module), CompileError);
}

TEST(Unroll, RefusesBreak) {
  Module module = checked_body("@unroll\nfor (var i = 0; i < 3; i++) { if (n[i] == 0) { break; } n[i] = i; }");
  EXPECT_THROW(unroll_loops(module), CompileError);
}

TEST(ReplaceArrays, KeepsArraysIndexedAtRunTime) {
  const auto replace = [](Module& module) { replace_arrays(module); };
  EXPECT_THAT(body_after("var a = array(1.0, 2.0); a[0] = y[0]; y[1] = a[0] + a[1];", replace), HasSubstr("a_1"));
  EXPECT_THAT(body_after("var a = array(1.0, 2.0); a[k] = y[0]; y[1] = a[0];", replace), Not(HasSubstr("a_1")));
}

TEST(RemoveDeadCode, ClosesUpBindings) {
  Module module = checked(
      "var<storage, read> a: array<f32>;\nvar<storage, read> b: array<f32>;\n"
      "var<storage, read_write> c: array<f32>;\n"
      "@compute @workgroup_size(1)\nfn kernel() { let unused = a[0]; c[0] = b[0]; }\n");
  remove_dead_code(module);
  ASSERT_EQ(module.resources.size(), 2U);
  EXPECT_EQ(module.resources[0]->name, "b");
  EXPECT_EQ(module.resources[0]->binding, 0U);
  EXPECT_EQ(module.resources[1]->binding, 1U);
}

TEST(RemoveDeadCode, KeepsCallsWithEffects) {
  Module module = checked(
      "var<storage, read_write> a: array<atomic<u32>>;\n"
      "@compute @workgroup_size(1)\nfn kernel() { let unused = atomicAdd(&a[0], 1u); }\n");
  remove_dead_code(module);
  EXPECT_THAT(print(module), HasSubstr("atomicAdd"));
}

TEST(OptimizeTwice, ChangesNothingMore) {
  Module module = checked_body(
      "var acc: array<f32, 4>;\n@unroll\nfor (var i = 0u; i < 4u; i++) { acc[i] += y[i + k]; }\n"
      "y[k] = acc[0] * acc[3];");
  optimize(module, {});
  const std::string once = emit_opencl(module);
  optimize(module, {});
  EXPECT_EQ(emit_opencl(module), once);
}

TEST(EmitOpenCl, NamesOfTheLanguageGetAnUnderscore) {
  Module module =
      checked("var<storage, read_write> y: array<f32>;\n@compute @workgroup_size(1)\nfn float() { y[0] = 1.0; }\n");
  EXPECT_EQ(opencl_kernel_name(module), "float_");
  EXPECT_THAT(emit_opencl(module), HasSubstr("__kernel void float_("));
}

TEST(EmitOpenCl, IsStable) {
  const std::string body = "y[k] = fract(y[0]) + f32(n[0] / n[1]) + f32(countTrailingZeros(n[2]));";
  EXPECT_EQ(emit_opencl(checked_body(body)), emit_opencl(checked_body(body)));
}

}  // namespace
}  // namespace driftwood::shader
