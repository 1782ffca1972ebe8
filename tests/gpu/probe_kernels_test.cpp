// Probes: right where the arithmetic is right, and nothing is believed of a device that computes something else.
#include "gpu/probe_kernels.h"

#include <gmock/gmock.h>

#include <set>

#include "gpu/opencl/probe_run.h"
#include "gpu/opencl/probes.h"
#include "gpu/reference/reference_device.h"
#include "opencl_test_device.h"
#include "shader/optimize.h"

namespace driftwood::gpu {
namespace {

using opencl::subgroup_candidates;
using Dialect = shader::OpenClDialect;

// What the reference device writes.
std::vector<std::uint32_t> written_by_reference(const ProbeKernel& probe, std::uint32_t subgroup_size = 32) {
  const auto device = make_reference_device({.has_f16_arithmetic = true, .subgroup_size = subgroup_size});
  const auto memory_of = [&](const std::vector<std::uint32_t>& words) {
    auto memory = device->allocate({.bytes = words.size() * 4});
    device->write(*memory, 0, std::as_bytes(std::span(words)));
    return memory;
  };
  std::vector<std::uint32_t> written(probe.outputs, 1);
  Dispatch dispatch{.kernel = device->compile(probe.module, "probe"), .bindings = {}};
  if (!probe.input.empty()) dispatch.bindings.push_back({.memory = memory_of(probe.input)});
  const auto output = memory_of(written);
  dispatch.bindings.push_back({.memory = output});
  const auto recording = device->record({dispatch});
  device->submit(*recording);
  device->read(*output, 0, std::as_writable_bytes(std::span(written)));
  return written;
}

TEST(ProbeKernels, SubgroupsOfEverySizeAreFound) {
  for (const std::uint32_t size : {4U, 16U, 32U, 64U}) {
    for (const std::uint32_t lanes : {64U, 128U}) {
      EXPECT_EQ(probed_subgroup_size(written_by_reference(subgroup_probe(lanes), size), lanes), size);
    }
  }
}

TEST(ProbeKernels, NoWordOfASubgroupMayBeWrong) {
  const std::vector<std::uint32_t> right = written_by_reference(subgroup_probe(64), 16);
  for (std::size_t word = 24 * 18; word < 24 * 19; ++word) {  // an invocation with a lane to either side
    std::vector<std::uint32_t> wrong = right;
    wrong[word] ^= 1;
    const bool is_outside = word == 24 * 18 + 11;  // shifted in from outside the subgroup
    EXPECT_EQ(probed_subgroup_size(wrong, 64), is_outside ? std::optional(16U) : std::nullopt) << word;
  }
  // A device that says 32 and has 16.
  std::vector<std::uint32_t> lying = right;
  for (std::size_t i = 0; i < 64; ++i) lying[24 * i] = 32;
  EXPECT_EQ(probed_subgroup_size(lying, 64), std::nullopt);
  EXPECT_EQ(probed_subgroup_size(std::span(right).first(100), 64), std::nullopt);
  EXPECT_EQ(probed_subgroup_size(std::vector<std::uint32_t>(right.size(), 0), 64), std::nullopt);
}

TEST(ProbeKernels, DotProductsAndHalvesAreHeldToArithmetic) {
  for (const bool mixed : {false, true}) {
    std::vector<std::uint32_t> dots = written_by_reference(packed_dot_probe(mixed));
    EXPECT_TRUE(dots_are_right(dots, mixed));
    dots[13] += 1;
    EXPECT_FALSE(dots_are_right(dots, mixed));
  }
  std::vector<std::uint32_t> halves = written_by_reference(half_probe());
  EXPECT_TRUE(halves_are_right(halves));
  halves[7] ^= 1U << 20;
  EXPECT_FALSE(halves_are_right(halves));
}

TEST(ProbeKernels, ProductsOfMatricesAreHeldToArithmetic) {
  std::vector<std::uint32_t> products = written_by_reference(matrix_probe());
  EXPECT_TRUE(matrices_are_right(products));
  for (const std::size_t word : {0, 7, 8, 255}) {  // of the sum of two products, and of one
    std::vector<std::uint32_t> wrong = products;
    wrong[word] ^= 1U << 22;
    EXPECT_FALSE(matrices_are_right(wrong)) << word;
  }
  products.pop_back();
  EXPECT_FALSE(matrices_are_right(products));
}

TEST(ProbeKernels, ThePipelineIsHeldToArithmetic) {
  ProbeKernel probe = pipeline_probe(16 << 10);
  shader::lower_pipeline(probe.module);
  std::vector<std::uint32_t> sums = written_by_reference(probe);
  EXPECT_TRUE(pipeline_is_right(sums));
  sums[517] ^= 1U << 22;
  EXPECT_FALSE(pipeline_is_right(sums));
  sums.pop_back();
  EXPECT_FALSE(pipeline_is_right(sums));
}

TEST(ProbeKernels, RunOnOpenCl) {
  opencl::OpenClDevice* const device = opencl::test::first_device();
  if (device == nullptr) GTEST_SKIP() << "no OpenCL device";
  const opencl::FoundDevice found = opencl::enumerate().devices.front();
  const auto context = opencl::Context::open(found.platform.api, found.platform.platform, found.device);
  const auto written = opencl::run_probe(*context, packed_dot_probe(true), {}, "-cl-std=CL1.2");
  ASSERT_TRUE(written);
  EXPECT_TRUE(dots_are_right(*written, true));
  EXPECT_FALSE(opencl::run_probe(*context, subgroup_probe(64), {}, "-cl-std=CL1.2"));  // no dialect, no kernel
}

TEST(ProbeKernels, CandidatesFollowTheExtensions) {
  const auto candidates = [](std::set<std::string, std::less<>> extensions, std::vector<std::size_t> sizes = {}) {
    std::vector<std::string> texts;
    for (const Dialect& each :
         subgroup_candidates([&](std::string_view name) { return extensions.contains(name); }, sizes)) {
      texts.push_back((each.subgroups == Dialect::Subgroups::Intel ? "intel" : "khr") +
                      std::string(each.relative_shuffles ? " relative " : " plain ") + each.subgroup_attribute);
    }
    return texts;
  };
  using testing::ElementsAre;
  EXPECT_THAT(candidates({}), ElementsAre());
  EXPECT_THAT(candidates({"cl_khr_subgroups"}), ElementsAre());
  EXPECT_THAT(candidates({"cl_khr_subgroups", "cl_khr_subgroup_shuffle"}), ElementsAre("khr plain "));
  EXPECT_THAT(candidates({"cl_khr_subgroups", "cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative"}),
              ElementsAre("khr relative "));
  EXPECT_THAT(
      candidates({"cl_intel_subgroups", "cl_intel_required_subgroup_size"}, {8, 16}),
      ElementsAre("intel relative intel_reqd_sub_group_size(16)", "intel relative intel_reqd_sub_group_size(8)"));
  EXPECT_THAT(
      candidates({"cl_khr_subgroups", "cl_khr_subgroup_shuffle", "cl_qcom_reqd_sub_group_size"}),
      ElementsAre("khr plain qcom_reqd_sub_group_size(\"half\")", "khr plain qcom_reqd_sub_group_size(\"full\")"));
}

TEST(ProbeKernels, ResultsAreKeptWhole) {
  opencl::ProbeResults results;
  results.dialect.subgroups = Dialect::Subgroups::Intel;
  results.dialect.relative_shuffles = false;
  results.dialect.subgroup_attribute = "qcom_reqd_sub_group_size(\"half\")";
  results.dialect.packed_dot = Dialect::PackedDot::Arm;
  results.dialect.mixed_dot = true;
  results.subgroup_size = 16;
  results.pipeline_memory = 229376;
  results.language = "-cl-std=CL3.0";
  const std::string text = opencl::to_text(results);
  const auto read = opencl::probe_results_from_text(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(opencl::to_text(*read), text);
  EXPECT_TRUE(read->dialect.pipeline);
  EXPECT_EQ(read->pipeline_memory, 229376U);
  EXPECT_EQ(read->dialect.subgroup_attribute, results.dialect.subgroup_attribute);
  results.dialect.subgroup_attribute.clear();
  EXPECT_EQ(opencl::probe_results_from_text(opencl::to_text(results))->language, "-cl-std=CL3.0");
  for (std::size_t length = 0; length + 1 < text.size(); length += 3) {
    opencl::probe_results_from_text(text.substr(0, length));  // whatever is left of a file
  }
  std::string wrong = text;
  wrong.replace(wrong.find(" 3 0 3 "), 7, " 9 0 3 ");
  EXPECT_FALSE(opencl::probe_results_from_text(wrong));
}

}  // namespace
}  // namespace driftwood::gpu
