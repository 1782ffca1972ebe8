// Matrices of subgroups: what the interpreter computes against plain arithmetic, the faults it finds, and the same
// kernels on a device with matrix units.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/half.h"
#include "kernel_run.h"
#include "run_kernel.h"

namespace driftwood::shader {
namespace {

using testing::HasSubstr;
using u32 = std::uint32_t;

constexpr u32 extent = 16;

/// A matrix of halves that are multiples of 1/64, row by row.
std::vector<float> random_matrix(u32 rows, u32 columns, u32 seed) {
  std::mt19937 random(seed);
  std::vector<float> values(std::size_t{rows} * columns);
  for (float& value : values) value = (static_cast<float>(random() % 257) - 128.0F) / 64.0F;
  return values;
}

/// Two halves to a word.
std::vector<u32> packed(const std::vector<float>& values) {
  std::vector<u32> words;
  for (std::size_t k = 0; k < values.size(); k += 2) {
    words.push_back(float_to_half(values[k]) | u32{float_to_half(values[k + 1])} << 16);
  }
  return words;
}

std::vector<float> transposed(const std::vector<float>& values, u32 rows, u32 columns) {
  std::vector<float> result(values.size());
  for (u32 r = 0; r < rows; ++r) {
    for (u32 c = 0; c < columns; ++c) result[c * rows + r] = values[r * columns + c];
  }
  return result;
}

std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b, u32 m, u32 n, u32 depth) {
  std::vector<float> result(std::size_t{m} * n);
  for (u32 r = 0; r < m; ++r) {
    for (u32 c = 0; c < n; ++c) {
      double sum = 0;
      for (u32 k = 0; k < depth; ++k) sum += double{a[r * depth + k]} * double{b[k * n + c]};
      result[r * n + c] = static_cast<float>(sum);
    }
  }
  return result;
}

/// y = a b: 32 x 48 times 48 x 32 by four subgroups, each of one 16 x 16 tile. How a, b and the result lie in workgroup
/// memory is up to three flags; `element` is the type of the array that holds the operands.
std::string product_kernel(bool a_columns, bool b_columns, bool y_columns, const std::string& element) {
  const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
  const std::string stores = element == "f16"   ? "    let pair = vec2<f16>(unpack2x16float(word));\n"
                                                  "    values[2u * k] = pair.x;\n    values[2u * k + 1u] = pair.y;\n"
                             : element == "u32" ? "    values[k] = word;\n"
                                                : "    values[k / 4u][k % 4u] = word;\n";
  const std::string count = element == "f16" ? "3072" : element == "u32" ? "1536" : "384";
  return "alias left = subgroup_matrix_left<f16, 16, 16>;\n"
         "alias right = subgroup_matrix_right<f16, 16, 16>;\n"
         "@group(0) @binding(0) var<storage, read> x: array<u32>;\n"
         "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n"
         "var<workgroup> values: array<" +
         element + ", " + count +
         ">;\n"
         "var<workgroup> sums: array<f32, 1024>;\n"
         "@compute @workgroup_size(128)\n"
         "fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_id) group: u32) {\n"
         "  for (var k = i; k < 1536u; k += 128u) {\n"
         "    let word = x[k];\n" +
         stores +
         "  }\n"
         "  workgroupBarrier();\n"
         "  let row = group / 2u * 16u;\n"
         "  let column = group % 2u * 16u;\n"
         "  var sum: subgroup_matrix_result<f32, 16, 16>;\n"
         "  for (var k = 0u; k < 48u; k += 16u) {\n"
         "    let a = subgroupMatrixLoad<left>(&values, " +
         (a_columns ? "k * 32u + row, true, 32u" : "row * 48u + k, false, 48u") +
         ");\n"
         "    let b = subgroupMatrixLoad<right>(&values, 1536u + " +
         (b_columns ? "column * 48u + k, true, 48u" : "k * 32u + column, false, 32u") +
         ");\n"
         "    sum = subgroupMatrixMultiplyAccumulate(a, b, sum);\n"
         "  }\n"
         "  subgroupMatrixStore(&sums, " +
         (y_columns ? "column * 32u + row" : "row * 32u + column") + ", sum, " + flag(y_columns) +
         ", 32u);\n"
         "  workgroupBarrier();\n"
         "  for (var k = i; k < 1024u; k += 128u) {\n"
         "    y[k] = sums[k];\n"
         "  }\n"
         "}\n";
}

struct Layout {
  bool a_columns, b_columns, y_columns;
  std::string element;
};

std::vector<Layout> layouts() {
  std::vector<Layout> result;
  for (const char* element : {"f16", "u32", "vec4<u32>"}) {
    for (int flags = 0; flags < 8; ++flags)
      result.push_back({(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, element});
  }
  return result;
}

std::vector<u32> operands_of(const Layout& layout, const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> x = layout.a_columns ? transposed(a, 32, 48) : a;
  const std::vector<float> right = layout.b_columns ? transposed(b, 48, 32) : b;
  x.insert(x.end(), right.begin(), right.end());
  return packed(x);
}

TEST(Matrices, ProductsAreThoseOfPlainArithmeticInEveryLayout) {
  const auto a = random_matrix(32, 48, 1), b = random_matrix(48, 32, 2);
  for (const Layout& layout : layouts()) {
    const auto expected = layout.y_columns ? transposed(product(a, b, 32, 32, 48), 32, 32) : product(a, b, 32, 32, 48);
    KernelRun run(product_kernel(layout.a_columns, layout.b_columns, layout.y_columns, layout.element));
    run.bind(operands_of(layout, a, b)).bind_unwritten(4096).run();
    // Multiples of 1/4096 below 512 need 21 bits: every sum is exact.
    EXPECT_EQ(run.values<float>(1), expected) << layout.element << layout.a_columns << layout.b_columns;
  }
}

// The optimised module, on the interpreter, on the first OpenCL device where that has matrix units, and as Metal on the
// CPU, which is given every third layout.
TEST(Matrices, DevicesAgree) {
  const auto a = random_matrix(32, 48, 3), b = random_matrix(48, 32, 4);
  for (const char* id : {"reference", "opencl:0", "metal-cpu"}) {
    const auto device = test::device_if_any(id);
    if (!device || !device->facts().has_matrices) continue;
    const std::size_t step = id == std::string("metal-cpu") ? 3 : 1;
    const std::vector<Layout> all = layouts();
    for (std::size_t i = 0; i < all.size(); i += step) {
      const Layout& layout = all[i];
      const std::string text = product_kernel(layout.a_columns, layout.b_columns, layout.y_columns, layout.element);
      const SourceProvider sources = [&](std::string_view) { return SourceFile{"test.wgsl", text}; };
      const Module module = compile(sources, "package::test", {}, test::traits_of(device->facts()));
      const auto words = operands_of(layout, a, b);
      test::Contents contents;
      const auto bytes = std::as_bytes(std::span(words));
      contents["x"].assign(bytes.begin(), bytes.end());
      contents["y"].resize(4096);
      const auto after = test::run_kernel(*device, module, contents, {1, 1, 1});
      const auto plain = product(a, b, 32, 32, 48);
      EXPECT_EQ(test::numbers_of<float>(after.at("y")), layout.y_columns ? transposed(plain, 32, 32) : plain)
          << id << " " << layout.element << layout.a_columns << layout.b_columns << layout.y_columns;
    }
  }
}

// A result in memory is the sum that a product begins with, and an array of them is indexed by a variable.
TEST(Matrices, SumsGoOnFromMemory) {
  const std::string text = R"(
alias left = subgroup_matrix_left<f16, 16, 16>;
alias right = subgroup_matrix_right<f16, 16, 16>;
alias result = subgroup_matrix_result<f32, 16, 16>;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<workgroup> values: array<u32, 128>;
var<workgroup> sums: array<u32, 256>;
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
  for (var k = i; k < 128u; k += 32u) {
    values[k] = x[k];
    sums[k] = bitcast<u32>(1.0);
    sums[k + 128u] = bitcast<u32>(1.0);
  }
  workgroupBarrier();
  var acc: array<result, 3>;
  acc[2] = subgroupMatrixLoad<result>(&sums, 0, false, 16);
  for (var k = 0u; k < 2u; k++) {
    acc[k + 1] = subgroupMatrixMultiplyAccumulate(subgroupMatrixLoad<left>(&values, 0, false, 16),
                                                  subgroupMatrixLoad<right>(&values, 0, true, 16), acc[2]);
  }
  workgroupBarrier();
  subgroupMatrixStore(&sums, 0, acc[2], false, 16);
  workgroupBarrier();
  for (var k = i; k < 256u; k += 32u) {
    y[k] = bitcast<f32>(sums[k]);
  }
}
)";
  const auto a = random_matrix(extent, extent, 5);
  auto expected = product(a, transposed(a, extent, extent), extent, extent, extent);
  for (float& value : expected) value += 1;
  KernelRun run(text);
  run.bind(packed(a)).bind_unwritten(1024).run();
  EXPECT_EQ(run.values<float>(1), expected);
}

// ---- faults

/// The message of the fault that the body is reported with; `values` holds a 16 x 16 matrix, all written.
std::string fault_of(const std::string& body, SanitizerKind kind, int lanes = 32) {
  KernelRun run(
      "alias left = subgroup_matrix_left<f16, 16, 16>;\n"
      "var<workgroup> values: array<u32, 128>;\n"
      "var<workgroup> sums: array<f32, 512>;\n"
      "@compute @workgroup_size(" +
      std::to_string(lanes) +
      ")\n"
      "fn main(@builtin(local_invocation_index) i: u32) {\n"
      "  if (i < 32u) {\n"
      "    for (var k = i; k < 128u; k += 32u) { values[k] = k; }\n"
      "  }\n" +
      body + "}\n");
  try {
    run.run();
  } catch (const SanitizerError& error) {
    EXPECT_EQ(error.sanitizer_kind(), kind) << error.message();
    return std::string(error.message());
  }
  return "no fault";
}

TEST(Matrices, PartOfASubgroupIsAFault) {
  EXPECT_THAT(
      fault_of("  workgroupBarrier();\n  if (i > 2u) { _ = subgroupMatrixLoad<left>(&values, 0, false, 16); }\n",
               SanitizerKind::DivergentMatrix),
      HasSubstr("subgroupMatrixLoad is reached by 29 of the 32 invocations of a subgroup. Seen in workgroup (0, "
                "0, 0), invocation (3, 0, 0)."));
}

TEST(Matrices, WholeSubgroupsMayPart) {
  EXPECT_EQ(fault_of("  workgroupBarrier();\n  if (i > 31u) { _ = subgroupMatrixLoad<left>(&values, 0, false, 16); }\n",
                     SanitizerKind::DivergentMatrix, 96),
            "no fault");
}

TEST(Matrices, OffsetThatDiffersIsAFault) {
  EXPECT_THAT(fault_of("  workgroupBarrier();\n  _ = subgroupMatrixLoad<left>(&values, i / 31u * 8u, false, 8);\n",
                       SanitizerKind::DivergentMatrix),
              HasSubstr("The offset of subgroupMatrixLoad differs within a subgroup: it is 0 and, here, 8."));
}

TEST(Matrices, MisalignedOffsetAndStride) {
  EXPECT_THAT(fault_of("  workgroupBarrier();\n  _ = subgroupMatrixLoad<left>(&values, 4, false, 8);\n",
                       SanitizerKind::MisalignedMatrix),
              HasSubstr("The offset 4 of subgroupMatrixLoad is no multiple of 8."));
  EXPECT_THAT(fault_of("  let m = subgroup_matrix_result<f32, 16, 16>();\n"
                       "  subgroupMatrixStore(&sums, 0, m, false, 20);\n",
                       SanitizerKind::MisalignedMatrix),
              HasSubstr("The stride 20 of subgroupMatrixStore is no multiple of 8."));
}

TEST(Matrices, PastTheEndOfTheArray) {
  EXPECT_THAT(fault_of("  workgroupBarrier();\n  _ = subgroupMatrixLoad<left>(&values, 8, false, 16);\n",
                       SanitizerKind::OutOfBounds),
              HasSubstr("The matrix at offset 8 with stride 16 ends at component 264 of 'values'; it has 256."));
}

TEST(Matrices, LoadWithoutABarrierIsARace) {
  EXPECT_THAT(fault_of("  _ = subgroupMatrixLoad<left>(&values, 0, false, 16);\n", SanitizerKind::DataRace),
              HasSubstr("reads word"));
}

TEST(Matrices, StoreWithoutABarrierIsARace) {
  EXPECT_THAT(fault_of("  let m = subgroup_matrix_result<f32, 16, 16>();\n"
                       "  subgroupMatrixStore(&sums, 0, m, false, 16);\n"
                       "  if (sums[i + 1u] > 0.0) { values[i] = 1u; }\n",
                       SanitizerKind::DataRace),
              HasSubstr("with no workgroupBarrier between"));
}

TEST(Matrices, UnwrittenMemory) {
  EXPECT_THAT(fault_of("  _ = subgroupMatrixLoad<subgroup_matrix_result<f32, 16, 16>>(&sums, 0, false, 16);\n",
                       SanitizerKind::UnwrittenRead),
              HasSubstr("in 'sums', which nothing has written."));
}

TEST(Matrices, SubgroupsOfAnotherSizeAreRefused) {
  EXPECT_THROW(KernelRun(product_kernel(false, true, false, "u32"), {.subgroup_size = 16}), Unsupported);
}

TEST(Matrices, DeviceWithoutThemRefuses) {
  const std::string text = product_kernel(false, true, false, "u32");
  const SourceProvider sources = [&](std::string_view) { return SourceFile{"test.wgsl", text}; };
  EXPECT_THROW(compile(sources, "package::test", {}, {.has_f16_arithmetic = true, .has_subgroups = true}), Unsupported);
}

// Pairs of halves in words need no f16 arithmetic; arrays of f16 do.
TEST(Matrices, WithoutF16Arithmetic) {
  const TargetTraits traits{.has_subgroups = true, .has_matrices = true, .subgroup_size = 32};
  std::string text = product_kernel(false, true, false, "vec4<u32>");
  const SourceProvider sources = [&](std::string_view) { return SourceFile{"test.wgsl", text}; };
  EXPECT_NO_THROW(compile(sources, "package::test", {}, traits));
  text = product_kernel(false, true, false, "f16");
  EXPECT_THROW(compile(sources, "package::test", {}, traits), CompileError);
}

}  // namespace
}  // namespace driftwood::shader
