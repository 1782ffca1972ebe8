#include "gpu/opencl/probes.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <sstream>
#include <vector>

#include "gpu/opencl/facts.h"
#include "gpu/opencl/matrix_probe.h"
#include "gpu/opencl/probe_run.h"
#include "gpu/opencl/program.h"
#include "gpu/opencl/status.h"
#include "gpu/opencl/wide_dot_probe.h"

namespace driftwood::gpu::opencl {
namespace {

using Clock = std::chrono::steady_clock;
using Subgroups = shader::OpenClDialect::Subgroups;
using PackedDot = shader::OpenClDialect::PackedDot;

constexpr std::string_view version = "driftwood probes 9";

constexpr const char* plain_probe = R"(
__kernel void probe(__global float4* x) { x[get_global_id(0)] = x[get_global_id(0)] * 2.0f; }
)";

// What emitted kernels do with halves.
constexpr const char* f16_probe = R"(
__kernel void probe(__global half4* x, __global float4* y, __global half* z) {
  __local half4 shared_values[4];
  half4 a = x[get_global_id(0)];
  half s = a.x * 0.5h + (half)1.0f;
  a = a * s - (half4)(s, 1.0h, a.y, a.z);
  a = a < x[1] ? a : x[1];
  shared_values[get_local_id(0) & 3] = a;
  barrier(CLK_LOCAL_MEM_FENCE);
  a += shared_values[0];
  y[get_global_id(0)] = (float4)((float)a.x, (float)a.y, (float)a.z, (float)a.w);
  vstore_half4_rte(y[0], 1, z);
  x[get_global_id(0)] = a;
}
)";
constexpr const char* f16_pragma = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";

constexpr const char* ptx_subgroup_probe = R"(
__kernel void probe(__global uint* x) {
  uint r;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(x[get_global_id(0)]), "r"(1u));
  x[get_global_id(0)] = r;
}
)";

constexpr const char* ptx_f16_probe = R"(
__kernel void probe(__global half* x, __global float2* y) {
  uint bits = ((__global uint*)x)[get_global_id(0)];
  float a, b;
  asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }" : "=f"(a), "=f"(b) : "r"(bits));
  asm("{ .reg .b16 l, h; cvt.rn.f16.f32 l, %1; cvt.rn.f16.f32 h, %2; mov.b32 %0, {l, h}; }"
      : "=r"(bits) : "f"(b), "f"(a));
  y[get_global_id(0)] = (float2)(a, b);
  ((__global uint*)x)[get_global_id(0)] = bits;
}
)";

bool compiles(const Context& context, const std::string& source, const std::string& options) {
  return build_source(context, source, options).status == CL_SUCCESS;
}

std::vector<std::size_t> intel_subgroup_sizes(const Context& context) {
  constexpr cl_device_info sub_group_sizes_intel = 0x4108;  // CL_DEVICE_SUB_GROUP_SIZES_INTEL
  std::size_t bytes = 0;
  if (context.api->clGetDeviceInfo(context.device, sub_group_sizes_intel, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::vector<std::size_t> sizes(bytes / sizeof(std::size_t));
  const cl_int status = context.api->clGetDeviceInfo(context.device, sub_group_sizes_intel,
                                                     sizes.size() * sizeof(std::size_t), sizes.data(), nullptr);
  return status == CL_SUCCESS ? sizes : std::vector<std::size_t>();
}

// The size of the device's subgroups in a dialect, where workgroups of 64 and of 128 agree on it and compute what they
// should; 0 where not.
std::uint32_t run_subgroup_probe(const Context& context, const shader::OpenClDialect& dialect,
                                 const std::string& language) {
  std::size_t most = 0;
  if (context.api->clGetDeviceInfo(context.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, nullptr) !=
      CL_SUCCESS) {
    return 0;
  }
  std::uint32_t size = 0;
  for (const std::uint32_t lanes : {64U, 128U}) {
    if (lanes > most) break;
    const auto written = run_probe(context, subgroup_probe(lanes), dialect, language);
    const auto found = written ? probed_subgroup_size(*written, lanes) : std::nullopt;
    if (!found || (size != 0 && *found != size)) return 0;
    size = *found;
  }
  return size;
}

void probe_subgroups(const Context& context, ProbeResults& results) {
  const auto has = [&](std::string_view extension) { return has_extension(*context.api, context.device, extension); };
  const std::string base = results.language;
  for (const shader::OpenClDialect& candidate : subgroup_candidates(has, intel_subgroup_sizes(context))) {
    for (const std::string& language : {base, std::string("-cl-std=CL3.0"), std::string("-cl-std=CL2.0")}) {
      const std::uint32_t size = run_subgroup_probe(context, candidate, language);
      if (size < 2) continue;
      results.dialect.subgroups = candidate.subgroups;
      results.dialect.relative_shuffles = candidate.relative_shuffles;
      results.dialect.subgroup_attribute = candidate.subgroup_attribute;
      results.subgroup_size = size;
      results.language = language;
      return;
    }
  }
}

// What NVIDIA's compiler says of workgroup memory is what a kernel's argument may have; its static arrays may be
// larger. Of the device's 227 KiB the driver keeps some.
void probe_pipeline(const Context& context, ProbeResults& results) {
  constexpr std::uint32_t most_bytes = 229376;
  if (!results.dialect.f16_arithmetic || !results.dialect.f16_ptx) return;
  shader::OpenClDialect dialect = results.dialect;
  dialect.pipeline = true;
  const auto written = run_probe(context, pipeline_probe(most_bytes), dialect, results.language);
  if (!written || !pipeline_is_right(*written)) return;
  results.dialect.pipeline = true;
  results.pipeline_memory = most_bytes;
}

// Which dot products of the dialect give what they should.
void probe_dot(const Context& context, ProbeResults& results, PackedDot kind) {
  for (const bool mixed : {kind == PackedDot::Khr, false}) {
    shader::OpenClDialect dialect;
    dialect.packed_dot = kind;
    dialect.mixed_dot = mixed;
    const auto written = run_probe(context, packed_dot_probe(mixed), dialect, results.language);
    if (!written || !dots_are_right(*written, mixed)) continue;
    results.dialect.packed_dot = kind;
    results.dialect.mixed_dot = mixed;
    return;
  }
}

// Binaries are worth keeping where the driver hands one out in less than half the time of building, once in three
// times: the answer is kept with the driver, and a machine that was busy for a moment must not decide it.
bool binaries_are_cheap(const Context& context) {
  for (int time = 0; time < 3; ++time) {
    // A name that is new each time keeps the driver's own cache out of the measurement.
    const std::string source =
        fmt::format("typedef int time_{};\n{}", Clock::now().time_since_epoch().count(), plain_probe);
    const Clock::time_point start = Clock::now();
    const BuildResult built = build_source(context, source, "-cl-std=CL1.2");
    const Clock::time_point middle = Clock::now();
    if (built.status != CL_SUCCESS) return true;
    if (program_binary(context, built.program.get()).empty()) return false;
    if (2 * (Clock::now() - middle) < middle - start) return true;
  }
  return false;
}

// A driver of a CPU may compile every kernel once more for a binary, for workgroups of any size, which nothing then
// uses (PoCL 3.1). It takes as long as the kernel is large, so that no small probe shows it; objects, which are linked
// at the next start, are as good there.
bool keeps_objects(const Context& context) {
  cl_device_type type = 0;
  return context.api->clGetDeviceInfo(context.device, CL_DEVICE_TYPE, sizeof type, &type, nullptr) == CL_SUCCESS &&
         (type & CL_DEVICE_TYPE_CPU) != 0;
}

ProbeResults run_probes(const Context& context) {
  const Api& api = *context.api;
  const auto has = [&](std::string_view extension) { return has_extension(api, context.device, extension); };
  ProbeResults results;
  const std::string base = results.language;

  // NVIDIA's compiler takes halves although it does not list them; others print their refusal on standard error.
  const bool is_nvidia = has("cl_nv_device_attribute_query");
  if (has("cl_khr_fp16") || is_nvidia) {
    results.dialect.f16_arithmetic = compiles(context, std::string(f16_pragma) + f16_probe, base);
    if (!results.dialect.f16_arithmetic && compiles(context, f16_probe, base)) {
      results.dialect.f16_arithmetic = true;
      results.dialect.f16_pragma = false;
    }
    results.dialect.f16_functions = has("cl_khr_fp16");  // NVIDIA's compiler has operators alone
  }

  // What compiles must also compute; where the kernel that shows it is refused, the compiler's word stands.
  if (results.dialect.f16_arithmetic) {
    const auto written = run_probe(context, half_probe(), results.dialect, base);
    if (written && !halves_are_right(*written)) results.dialect.f16_arithmetic = false;
  }
  results.dialect.f16_ptx = is_nvidia && compiles(context, ptx_f16_probe, base);

  // Kernels of CPUs have one invocation a group: subgroups are nothing to them.
  if (!is_cpu_device(api, context.device)) probe_subgroups(context, results);
  // Inline PTX is tried only on a device with NVIDIA's own extension: another compiler may accept any asm text and
  // fail, or end the process, when it assembles it.
  if (results.dialect.subgroups == Subgroups::None && is_nvidia && compiles(context, ptx_subgroup_probe, base)) {
    cl_uint warp = 0;
    constexpr cl_device_info warp_size_nv = 0x4003;  // CL_DEVICE_WARP_SIZE_NV of cl_nv_device_attribute_query
    if (api.clGetDeviceInfo(context.device, warp_size_nv, sizeof warp, &warp, nullptr) == CL_SUCCESS && warp == 32) {
      results.dialect.subgroups = Subgroups::NvidiaPtx;
      results.subgroup_size = warp;
      results.dialect.matrices = multiplies_matrices(context, base);
      probe_pipeline(context, results);
    }
  }

  if (has("cl_khr_integer_dot_product")) probe_dot(context, results, PackedDot::Khr);
  if (results.dialect.packed_dot == PackedDot::None && has("cl_arm_integer_dot_product_int8")) {
    probe_dot(context, results, PackedDot::Arm);
  }
  if (results.dialect.packed_dot == PackedDot::None && is_nvidia) probe_dot(context, results, PackedDot::NvidiaPtx);
  results.dialect.wide_dot = multiplies_wide_words(context, results.language);
  results.keeps_binaries = !keeps_objects(context) && binaries_are_cheap(context);
  return results;
}

}  // namespace

std::string to_text(const ProbeResults& results) {
  const shader::OpenClDialect& dialect = results.dialect;
  return fmt::format("{}\n{} {} {} {} {} {} {} {} {} {} {} {} {}\n{}\n{}\n", version, int{dialect.f16_arithmetic},
                     int{dialect.f16_pragma}, int{dialect.f16_functions}, int{dialect.f16_ptx},
                     static_cast<int>(dialect.subgroups), int{dialect.relative_shuffles},
                     static_cast<int>(dialect.packed_dot), int{dialect.mixed_dot}, int{dialect.matrices},
                     int{dialect.wide_dot}, results.subgroup_size, int{results.keeps_binaries}, results.pipeline_memory,
                     dialect.subgroup_attribute, results.language);
}

std::optional<ProbeResults> probe_results_from_text(const std::string& text) {
  std::istringstream stream(text);
  std::string first;
  ProbeResults results;
  shader::OpenClDialect& dialect = results.dialect;
  if (!std::getline(stream, first) || first != version) return std::nullopt;
  int subgroups = 0, dot = 0;
  const auto flag = [&](bool& value) {
    int number = 0;
    stream >> number;
    value = number != 0;
  };
  for (bool* each : {&dialect.f16_arithmetic, &dialect.f16_pragma, &dialect.f16_functions, &dialect.f16_ptx}) {
    flag(*each);
  }
  stream >> subgroups;
  flag(dialect.relative_shuffles);
  stream >> dot;
  for (bool* each : {&dialect.mixed_dot, &dialect.matrices, &dialect.wide_dot}) flag(*each);
  stream >> results.subgroup_size;
  flag(results.keeps_binaries);
  stream >> results.pipeline_memory;
  dialect.pipeline = results.pipeline_memory > 0;
  stream.ignore(1);  // the end of the line
  std::getline(stream, dialect.subgroup_attribute);
  std::getline(stream, results.language);
  if (!stream || subgroups < 0 || subgroups > static_cast<int>(Subgroups::Intel) || dot < 0 ||
      dot > static_cast<int>(PackedDot::Arm) || results.language.empty()) {
    return std::nullopt;
  }
  dialect.subgroups = static_cast<Subgroups>(subgroups);
  dialect.packed_dot = static_cast<PackedDot>(dot);
  return results;
}

ProbeResults probe(const Context& context, const std::string& device_key, const ProgramCache& cache) {
  const std::string key = fmt::format("probes\n{}\n{}", version, device_key);
  if (const auto kept = cache.load(key)) {
    const std::string text(reinterpret_cast<const char*>(kept->data()), kept->size());
    if (const auto results = probe_results_from_text(text)) return *results;
  }
  ProbeResults results = run_probes(context);
  const std::string text = to_text(results);
  cache.store(key, std::as_bytes(std::span(text.data(), text.size())));
  return results;
}

}  // namespace driftwood::gpu::opencl
