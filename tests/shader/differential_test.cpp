// Generated kernels on the interpreter, unoptimised, against the same optimised on the interpreter, on OpenCL, on
// WebGPU and as Metal: integers and bools exactly, floats within the units in the last place that WGSL's functions
// leave open.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "base/error.h"
#include "gpu/reference/reference_device.h"
#include "gpu/registry.h"
#include "random_kernel.h"
#include "run_kernel.h"
#include "shader/checker.h"
#include "shader/compile.h"
#include "shader/virtualize.h"

namespace driftwood::test {
namespace {

constexpr std::uint32_t rows = 4 * random_kernel_invocations;  // of each input

struct Inputs {
  std::vector<float> floats;
  std::vector<std::uint32_t> ints, uints;
};

Inputs make_inputs(std::uint32_t seed) {
  std::mt19937 random(seed);
  constexpr std::uint32_t edges[] = {0, 1, 0xffffffffU, 0x80000000U, 0x7fffffffU, 2, 31, 32, 0xfffffff9U};
  const auto word = [&]() -> std::uint32_t {
    switch (random() % 4) {
      case 0: return edges[random() % std::size(edges)];
      case 1: return random() % 64;
      default: return static_cast<std::uint32_t>(random());
    }
  };
  Inputs inputs;
  for (std::uint32_t i = 0; i < rows * 4; ++i) {
    inputs.floats.push_back((static_cast<float>(random() % 257) - 128.0F) / 8.0F);
    inputs.ints.push_back(word());
    inputs.uints.push_back(word());
  }
  return inputs;
}

struct Outputs {
  std::vector<std::int32_t> ints;
  std::vector<std::uint32_t> uints;
  std::vector<float> floats;
};

template <class T>
std::shared_ptr<gpu::Memory> uploaded(gpu::Device& device, const std::vector<T>& values) {
  auto memory = device.allocate({.bytes = values.size() * sizeof(T)});
  device.write(*memory, 0, std::as_bytes(std::span(values)));
  return memory;
}

Outputs run(gpu::Device& device, const shader::Module& module, const RandomKernel& kernel, const Inputs& inputs,
            std::uint32_t workgroups = random_kernel_invocations) {
  const auto size = [](std::uint32_t results) { return std::max(results, 1U) * random_kernel_invocations * 4; };
  Outputs outputs{std::vector<std::int32_t>(size(kernel.int_results)),
                  std::vector<std::uint32_t>(size(kernel.uint_results)),
                  std::vector<float>(size(kernel.float_results))};
  std::map<std::string, std::shared_ptr<gpu::Memory>> memories = {
      {"floats", uploaded(device, inputs.floats)}, {"ints", uploaded(device, inputs.ints)},
      {"uints", uploaded(device, inputs.uints)},   {"out_i", uploaded(device, outputs.ints)},
      {"out_u", uploaded(device, outputs.uints)},  {"out_f", uploaded(device, outputs.floats)}};
  gpu::Dispatch dispatch;
  dispatch.kernel = device.compile(module, "random_kernel");
  dispatch.workgroups = {workgroups, 1, 1};
  for (const auto& resource : module.resources) dispatch.bindings.push_back({memories.at(resource->name)});
  std::vector<gpu::Dispatch> dispatches;
  dispatches.push_back(std::move(dispatch));
  auto recording = device.record(std::move(dispatches));
  device.submit(*recording);
  device.read(*memories["out_i"], 0, std::as_writable_bytes(std::span(outputs.ints)));
  device.read(*memories["out_u"], 0, std::as_writable_bytes(std::span(outputs.uints)));
  device.read(*memories["out_f"], 0, std::as_writable_bytes(std::span(outputs.floats)));
  return outputs;
}

std::int64_t ordered(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits >= 0 ? bits : std::int64_t{std::numeric_limits<std::int32_t>::min()} - bits;
}

bool is_close(float a, float b, float tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  if (a == b) return true;
  return tolerance > 0 && static_cast<float>(std::abs(ordered(a) - ordered(b))) <= tolerance;
}

void expect_same(const Outputs& expected, const Outputs& actual, const RandomKernel& kernel, const char* who,
                 std::uint32_t seed, bool exact) {
  constexpr std::size_t row = random_kernel_invocations * 4;
  int failures = 0;
  const auto report = [&](const std::string& expression, std::size_t i, auto wanted, auto got) {
    if (++failures > 5) return;
    ADD_FAILURE() << who << ", seed " << seed << ", invocation " << i % row / 4 << ", component " << i % 4 << ": "
                  << expression << "\n  expected " << wanted << ", got " << got;
  };
  for (std::size_t i = 0; i < kernel.int_results * row; ++i) {
    if (expected.ints[i] != actual.ints[i])
      report(kernel.int_expressions[i / row], i, expected.ints[i], actual.ints[i]);
  }
  for (std::size_t i = 0; i < kernel.uint_results * row; ++i) {
    if (expected.uints[i] != actual.uints[i])
      report(kernel.uint_expressions[i / row], i, expected.uints[i], actual.uints[i]);
  }
  for (std::size_t i = 0; i < kernel.float_results * row; ++i) {
    const float tolerance = exact ? 0 : kernel.float_tolerances[i / row];
    if (!is_close(expected.floats[i], actual.floats[i], tolerance)) {
      report(kernel.float_expressions[i / row], i, expected.floats[i], actual.floats[i]);
    }
  }
  if (failures > 0) ADD_FAILURE() << failures << " results differ in\n" << kernel.source;
}

shader::SourceProvider provider(const std::string& source) {
  return [source](std::string_view path) -> std::optional<shader::SourceFile> {
    if (path != "package::random") return std::nullopt;
    return shader::SourceFile{"random.wgsl", source};
  };
}

class Differential : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    try {
      opencl = gpu::open_device("opencl:0");
    } catch (const Error&) {
      opencl = nullptr;
    }
    metal = device_if_any("metal-cpu");
    webgpu = device_if_any("webgpu:0");
  }
  static void TearDownTestSuite() {
    opencl.reset();
    metal.reset();
    webgpu.reset();
  }
  static std::uint32_t metal_seeds() {
    const char* const given = std::getenv("DRIFTWOOD_METAL_SEEDS");
    return given == nullptr ? 2 : static_cast<std::uint32_t>(std::atoi(given));
  }

  static void compare(const RandomKernel& kernel, std::uint32_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Inputs inputs = make_inputs(seed);
    // Wrapped numbers reach indices here, masked to the array's size.
    auto reference = gpu::make_reference_device({.interpreter = {.check_overflow = false}});
    shader::Module plain = shader::check(provider(kernel.source), "package::random", {});
    shader::virtualize(plain);
    const Outputs expected = run(*reference, plain, kernel, inputs);
    const shader::Module optimized = shader::compile(provider(kernel.source), "package::random", {}, {});
    expect_same(expected, run(*reference, optimized, kernel, inputs), kernel, "optimised", seed, true);
    if (opencl) expect_same(expected, run(*opencl, optimized, kernel, inputs), kernel, "OpenCL", seed, false);
    if (webgpu && seed <= webgpu_seeds) {
      expect_same(expected, run(*webgpu, optimized, kernel, inputs), kernel, "WebGPU", seed, false);
    }
    // Each takes clang a second or two.
    if (metal && seed <= metal_seeds()) {
      const shader::Module module = shader::compile(provider(kernel.source), "package::random", {},
                                                    {.has_f16_arithmetic = true, .has_subgroups = true});
      expect_same(expected, run(*metal, module, kernel, inputs), kernel, "Metal", seed, false);
    }
  }

  static constexpr std::uint32_t webgpu_seeds = 6;
  static std::unique_ptr<gpu::Device> opencl, metal, webgpu;
};

std::unique_ptr<gpu::Device> Differential::opencl, Differential::metal, Differential::webgpu;

TEST_F(Differential, RandomExpressionsAgree) {
  for (std::uint32_t seed = 1; seed <= 20 && !HasFailure(); ++seed) compare(random_expressions(seed, 100), seed);
}

TEST_F(Differential, RandomControlFlowAgrees) {
  for (std::uint32_t seed = 1; seed <= 15 && !HasFailure(); ++seed) compare(random_control_flow(seed), seed);
}

// Every subgroup operation on whole and partial subgroups, with the device's own or emulated; numbers are exact.
constexpr const char* subgroup_kernel = R"(
override lanes: u32;
var<storage, read> ints: array<vec4i>;
var<storage, read> floats: array<vec4f>;
var<storage, read_write> out_i: array<vec4i>;
var<storage, read_write> out_f: array<vec4f>;

@compute @workgroup_size(lanes)
fn random_kernel(@builtin(local_invocation_index) k: u32, @builtin(subgroup_invocation_id) lane: u32,
                 @builtin(subgroup_size) size: u32, @builtin(subgroup_id) group: u32,
                 @builtin(num_subgroups) groups: u32) {
  let f = floats[k];
  let i = ints[k].x & 1023;
  out_f[k] = subgroupAdd(f);
  out_f[lanes + k] = vec4f(subgroupMax(f.xy), subgroupMin(f.zw));
  out_f[2u * lanes + k] = subgroupShuffleXor(f, 1u);
  out_i[k] = vec4i(subgroupAdd(i), subgroupMax(i), subgroupMin(i), subgroupMul(i | 1));
  out_i[lanes + k] = vec4i(subgroupExclusiveAdd(i), subgroupInclusiveAdd(i), subgroupBroadcast(i, 3u), subgroupBroadcastFirst(i));
  let up = subgroupShuffleUp(i, 2u);
  let down = subgroupShuffleDown(i, 2u);
  out_i[2u * lanes + k] = vec4i(subgroupShuffle(i, lane ^ 2u), select(0, up, lane >= 2u), select(0, down, lane + 2u < min(size, lanes)), i32(subgroupElect()));
  out_i[3u * lanes + k] = vec4i(i32(subgroupAll(i >= 0)), i32(subgroupAll(i > 100)), i32(subgroupAny(i > 1000)), i32(subgroupAny(i < 0)));
  out_i[4u * lanes + k] = vec4i(vec4u(lane, min(size, lanes), group, groups));
}
)";

TEST_F(Differential, SubgroupOperationsAgree) {
  for (const std::uint32_t lanes : {1U, 8U, 32U, 64U}) {
    SCOPED_TRACE(lanes);
    shader::Specialization specialization;
    specialization.overrides["lanes"] = lanes;
    RandomKernel kernel;
    kernel.source = subgroup_kernel;
    kernel.int_results = 5 * lanes / random_kernel_invocations + 1;
    kernel.float_results = 3 * lanes / random_kernel_invocations + 1;
    kernel.int_expressions.assign(kernel.int_results, "subgroup integers");
    kernel.float_expressions.assign(kernel.float_results, "subgroup floats");
    kernel.float_tolerances.assign(kernel.float_results, 0);
    const Inputs inputs = make_inputs(lanes);
    const auto on = [&](gpu::Device& device) {
      // Emulated ones are of 32.
      const gpu::DeviceFacts& facts = device.facts();
      const bool is_small = facts.has_subgroups && facts.id.starts_with("webgpu") && facts.subgroup_size != 32;
      const shader::TargetTraits traits{.has_subgroups = facts.has_subgroups && !is_small};
      return run(device, shader::compile(provider(kernel.source), "package::random", specialization, traits), kernel,
                 inputs, 1);
    };
    auto native = gpu::make_reference_device();
    auto emulated = gpu::make_reference_device({.subgroup_size = 0});
    const Outputs expected = on(*native);
    expect_same(expected, on(*emulated), kernel, "emulated", lanes, true);
    if (opencl) expect_same(expected, on(*opencl), kernel, "OpenCL", lanes, true);
    if (webgpu) expect_same(expected, on(*webgpu), kernel, "WebGPU", lanes, true);
    // Of a single lane there is no other to exchange with, which Metal on the CPU takes for a fault.
    if (metal && lanes > 1) expect_same(expected, on(*metal), kernel, "Metal", lanes, true);
  }
}

TEST(RandomKernels, AreTheSameForTheSameSeed) {
  EXPECT_EQ(random_expressions(7, 20).source, random_expressions(7, 20).source);
  EXPECT_NE(random_expressions(7, 20).source, random_expressions(8, 20).source);
}

}  // namespace
}  // namespace driftwood::test
