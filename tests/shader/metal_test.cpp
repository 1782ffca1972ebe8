// What the Metal emitter refuses, and what it names the kernel.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shader/compile.h"
#include "shader/emit_metal.h"
#include "support/error_of.h"

namespace driftwood::shader {
namespace {

using testing::HasSubstr;

Module module_of(const std::string& text,
                 const TargetTraits& traits = {
                     .has_f16_arithmetic = true, .has_subgroups = true, .has_matrices = true, .subgroup_size = 32}) {
  const SourceProvider sources = [&](std::string_view) { return SourceFile{"test.wgsl", text}; };
  return compile(sources, "package::test", {}, traits);
}

std::string refusal(const std::string& text, const MetalDialect& dialect = {}) {
  const Module module = module_of(text);
  return test::error_of([&] { emit_metal(module, dialect); });
}

TEST(MetalEmitter, RenamesWhatMetalHasTaken) {
  const auto named = [](const std::string& name) {
    return metal_kernel_name(module_of("var<storage, read_write> y: array<u32>;\n@compute @workgroup_size(1) fn " +
                                       name + "() { y[0] = 1; }"));
  };
  EXPECT_EQ(named("main"), "main_");
  EXPECT_EQ(named("half3"), "half3_");
  EXPECT_EQ(named("simd_max"), "simd_max_");
  EXPECT_EQ(named("rms_norm"), "rms_norm");
}

TEST(MetalEmitter, RefusesWideVectors) {
  EXPECT_THAT(refusal("var<storage, read_write> y: array<f32>;\n@compute @workgroup_size(1) fn f() {\n"
                      "  var v: vec8<f32>;\n  for (var i = 0u; i < 8u; i++) { v[i] = y[i]; }\n  y[0] = v[u32(y[1])];\n"
                      "}"),
              HasSubstr("vec8<f32>; Metal's vectors have at most 4 components."));
}

TEST(MetalEmitter, RefusesMoreBuffersThanMetalHas) {
  const auto kernel = [](int count, const std::string& value) {
    std::string text, sum = value;
    for (int i = 0; i < count; ++i) {
      text += fmt::format("var<storage, read_write> b{}: array<u32>;\n", i);
      sum += fmt::format(" + b{}[1]", i);
    }
    return text + "@compute @workgroup_size(1) fn f() { b0[0] = " + sum + "; }";
  };
  EXPECT_THAT(emit_metal(module_of(kernel(31, "1u"))), HasSubstr("[[buffer(30)]]"));
  EXPECT_THAT(refusal(kernel(32, "1u")), HasSubstr("binds 'b31' as buffer 31; Metal has 31 of them for a kernel."));
  EXPECT_THAT(emit_metal(module_of(kernel(30, "arrayLength(&b2)"))),
              HasSubstr("constant uint* array_lengths [[buffer(30)]]"));
  EXPECT_THAT(refusal(kernel(31, "arrayLength(&b2)")), HasSubstr("Metal has 30 of them for a kernel."));
}

TEST(MetalEmitter, RefusesMatricesOfPartsOfASubgroup) {
  const std::string text =
      "alias result = subgroup_matrix_result<f32, 16, 16>;\nvar<workgroup> tile: array<f32, 256>;\n"
      "var<storage, read_write> y: array<f32>;\n@compute @workgroup_size(48)\n"
      "fn f(@builtin(local_invocation_index) k: u32) {\n  var m = result();\n"
      "  subgroupMatrixStore(&tile, 0u, m, false, 16u);\n  workgroupBarrier();\n  y[k] = tile[k];\n}";
  EXPECT_THAT(refusal(text), HasSubstr("A workgroup of 48 invocations leaves a subgroup of 32 partly empty"));
  EXPECT_THAT(refusal(text, {.simdgroup_matrices = false}), HasSubstr("which the device does not have."));
}

TEST(MetalEmitter, RefusesAnImageBothReadAndWritten) {
  const std::string text =
      "@tensor var<read_write> x: tensor<f32>;\n@compute @workgroup_size(1)\n"
      "fn f() { tensorStore(x, 0u, tensorLoad(x, 0u) * 2.0); }";
  const SourceProvider sources = [&](std::string_view) { return SourceFile{"test.wgsl", text}; };
  TensorDescriptor x = {.shape = {.c = 4}, .storage = StorageKind::Texture2D};
  x.layout = default_layout(x.storage, x.shape);
  Specialization specialization;
  specialization.tensors = {{"x", x}};
  const Module module = compile(sources, "package::test", specialization, {});
  EXPECT_THAT(test::error_of([&] { emit_metal(module); }),
              HasSubstr("'x' is an image that one kernel reads and writes"));
}

}  // namespace
}  // namespace driftwood::shader
