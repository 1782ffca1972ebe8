#include "gpu/opencl/probes.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <sstream>

#include "gpu/opencl/facts.h"
#include "gpu/opencl/matrix_probe.h"
#include "gpu/opencl/program.h"
#include "gpu/opencl/status.h"
#include "gpu/opencl/wide_dot_probe.h"

namespace driftwood::gpu::opencl {
namespace {

using Clock = std::chrono::steady_clock;
using Subgroups = shader::OpenClDialect::Subgroups;
using PackedDot = shader::OpenClDialect::PackedDot;

constexpr std::string_view version = "driftwood probes 7";

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

constexpr const char* khr_subgroup_probe = R"(
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
__kernel void probe(__global float* x, __global uint* size) {
  float v = sub_group_reduce_add(x[get_global_id(0)]) + sub_group_broadcast(x[0], 0u);
  v += sub_group_shuffle_xor(v, 1u) + sub_group_shuffle(v, 0u);
  v += sub_group_shuffle_up(v, 1u) + sub_group_shuffle_down(v, 1u);
  x[get_global_id(0)] = v + (float)get_sub_group_local_id();
  size[0] = get_max_sub_group_size();
}
)";

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

constexpr const char* khr_dot_probe = R"(
__kernel void probe(__global uint* x) {
  x[0] = (uint)dot_4x8packed_ss_int(x[0], x[1]) + dot_4x8packed_uu_uint(x[2], x[3]);
}
)";

constexpr const char* ptx_dot_probe = R"(
__kernel void probe(__global int* x) {
  int r;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x[0]), "r"(x[1]), "r"(x[2]));
  x[3] = r;
}
)";

bool compiles(const Context& context, const std::string& source, const std::string& options) {
  return build_source(context, source, options).status == CL_SUCCESS;
}

// The subgroup size of the running probe; 0 where it does not run.
std::uint32_t run_subgroup_probe(const Context& context, const std::string& options) {
  const Api& api = *context.api;
  const BuildResult built = build_source(context, khr_subgroup_probe, options);
  if (built.status != CL_SUCCESS) return 0;
  cl_int status = CL_SUCCESS;
  const KernelHandle kernel(context.api, api.clCreateKernel(built.program.get(), "probe", &status));
  if (status != CL_SUCCESS) return 0;
  const std::size_t items = 64;
  const MemHandle values(context.api, api.clCreateBuffer(context.context.get(), CL_MEM_READ_WRITE,
                                                         items * sizeof(float), nullptr, &status));
  if (status != CL_SUCCESS) return 0;
  const MemHandle size(context.api,
                       api.clCreateBuffer(context.context.get(), CL_MEM_READ_WRITE, sizeof(cl_uint), nullptr, &status));
  if (status != CL_SUCCESS) return 0;
  cl_mem arguments[] = {values.get(), size.get()};
  cl_uint result = 0;
  for (cl_uint i = 0; i < 2; ++i) {
    if (api.clSetKernelArg(kernel.get(), i, sizeof(cl_mem), &arguments[i]) != CL_SUCCESS) return 0;
  }
  status =
      api.clEnqueueNDRangeKernel(context.queue.get(), kernel.get(), 1, nullptr, &items, &items, 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return 0;
  status =
      api.clEnqueueReadBuffer(context.queue.get(), size.get(), CL_TRUE, 0, sizeof result, &result, 0, nullptr, nullptr);
  return status == CL_SUCCESS ? result : 0;
}

// Binaries are worth keeping where the driver hands one out in less than half the time of building.
bool binaries_are_cheap(const Context& context) {
  // A name that is new each time keeps the driver's own cache out of the measurement.
  const std::string source =
      fmt::format("typedef int time_{};\n{}", Clock::now().time_since_epoch().count(), plain_probe);
  const Clock::time_point start = Clock::now();
  const BuildResult built = build_source(context, source, "-cl-std=CL1.2");
  const Clock::time_point middle = Clock::now();
  if (built.status != CL_SUCCESS) return true;
  const bool has_binary = !program_binary(context, built.program.get()).empty();
  return has_binary && 2 * (Clock::now() - middle) < middle - start;
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

  results.dialect.f16_ptx = is_nvidia && compiles(context, ptx_f16_probe, base);

  // Inline PTX is tried only on a device with NVIDIA's own extension: another compiler may accept any asm text and
  // fail, or end the process, when it assembles it.
  const bool lists_subgroups = (has("cl_khr_subgroups") || has("cl_intel_subgroups")) &&
                               (has("cl_khr_subgroup_shuffle") || has("cl_intel_subgroups"));
  if (lists_subgroups) {
    for (const std::string& language : {base, std::string("-cl-std=CL3.0"), std::string("-cl-std=CL2.0")}) {
      const std::uint32_t size = run_subgroup_probe(context, language);
      if (size < 2) continue;
      results.dialect.subgroups = Subgroups::Khr;
      results.subgroup_size = size;
      results.language = language;
      break;
    }
  }
  if (results.dialect.subgroups == Subgroups::None && is_nvidia && compiles(context, ptx_subgroup_probe, base)) {
    cl_uint warp = 0;
    constexpr cl_device_info warp_size_nv = 0x4003;  // CL_DEVICE_WARP_SIZE_NV of cl_nv_device_attribute_query
    if (api.clGetDeviceInfo(context.device, warp_size_nv, sizeof warp, &warp, nullptr) == CL_SUCCESS && warp == 32) {
      results.dialect.subgroups = Subgroups::NvidiaPtx;
      results.subgroup_size = warp;
      results.dialect.matrices = multiplies_matrices(context, base);
    }
  }

  if (has("cl_khr_integer_dot_product") && compiles(context, khr_dot_probe, results.language)) {
    results.dialect.packed_dot = PackedDot::Khr;
  } else if (is_nvidia && compiles(context, ptx_dot_probe, base)) {
    results.dialect.packed_dot = PackedDot::NvidiaPtx;
  }
  results.dialect.wide_dot = multiplies_wide_words(context, results.language);
  results.keeps_binaries = !keeps_objects(context) && binaries_are_cheap(context);
  return results;
}

}  // namespace

std::string to_text(const ProbeResults& results) {
  return fmt::format("{}\n{} {} {} {} {} {} {} {} {} {}\n{}\n", version, int{results.dialect.f16_arithmetic},
                     int{results.dialect.f16_pragma}, int{results.dialect.f16_functions}, int{results.dialect.f16_ptx},
                     static_cast<int>(results.dialect.subgroups), static_cast<int>(results.dialect.packed_dot),
                     int{results.dialect.matrices}, int{results.dialect.wide_dot}, results.subgroup_size,
                     int{results.keeps_binaries}, results.language);
}

std::optional<ProbeResults> probe_results_from_text(const std::string& text) {
  std::istringstream stream(text);
  std::string first;
  ProbeResults results;
  int arithmetic = 0, pragma = 0, functions = 0, words = 0, subgroups = 0, dot = 0, matrices = 0, wide = 0,
      binaries = 0;
  if (!std::getline(stream, first) || first != version) return std::nullopt;
  stream >> arithmetic >> pragma >> functions >> words >> subgroups >> dot >> matrices >> wide >>
      results.subgroup_size >> binaries >> results.language;
  if (!stream || subgroups < 0 || subgroups > static_cast<int>(Subgroups::NvidiaPtx) || dot < 0 ||
      dot > static_cast<int>(PackedDot::NvidiaPtx)) {
    return std::nullopt;
  }
  results.dialect.f16_arithmetic = arithmetic != 0;
  results.dialect.f16_pragma = pragma != 0;
  results.dialect.f16_functions = functions != 0;
  results.dialect.f16_ptx = words != 0;
  results.dialect.subgroups = static_cast<Subgroups>(subgroups);
  results.dialect.packed_dot = static_cast<PackedDot>(dot);
  results.dialect.matrices = matrices != 0;
  results.dialect.wide_dot = wide != 0;
  results.keeps_binaries = binaries != 0;
  return results;
}

ProbeResults probe(const Context& context, const std::string& device_key, const ProgramCache& cache) {
  const std::string key = fmt::format("probes\n{}\n{}", version, device_key);
  if (const auto kept = cache.load(key)) {
    const std::string text(reinterpret_cast<const char*>(kept->data()), kept->size());
    if (const auto results = probe_results_from_text(text)) return *results;
  }
  const ProbeResults results = run_probes(context);
  const std::string text = to_text(results);
  cache.store(key, std::as_bytes(std::span(text.data(), text.size())));
  return results;
}

}  // namespace driftwood::gpu::opencl
