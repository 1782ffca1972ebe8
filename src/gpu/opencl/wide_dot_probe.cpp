#include "gpu/opencl/wide_dot_probe.h"

#include <array>
#include <cstdint>

#include "gpu/opencl/program.h"

namespace driftwood::gpu::opencl {
namespace {

constexpr std::uint32_t lanes = 16;

// x: sixteen words of unsigned bytes, then sixteen of signed ones. As emitted kernels are: a body of its own.
constexpr const char* source = R"(
__attribute__((noinline))
__attribute__((target("avx512vnni")))
static void probe_body(__global const uint* x, __global uint* y) {
  int16 sum = (int16)(7);
  sum = as_int16(__builtin_ia32_vpdpbusd512(sum, as_int16(vload16(0, x)), as_int16(vload16(1, x))));
  vstore16(as_uint16(sum), 0, y);
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void probe(__global const uint* x, __global uint* y) {
  probe_body(x, y);
}
)";

bool host_has_instruction() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vnni") != 0;
#else
  return false;
#endif
}

}  // namespace

bool multiplies_wide_words(const Context& context, const std::string& options) {
  const Api& api = *context.api;
  cl_device_type type = 0;
  if (!host_has_instruction() ||
      api.clGetDeviceInfo(context.device, CL_DEVICE_TYPE, sizeof type, &type, nullptr) != CL_SUCCESS ||
      (type & CL_DEVICE_TYPE_CPU) == 0) {
    return false;
  }
  const BuildResult built = build_source(context, source, options);
  if (built.status != CL_SUCCESS) return false;
  cl_int status = CL_SUCCESS;
  const KernelHandle kernel(context.api, api.clCreateKernel(built.program.get(), "probe", &status));
  if (status != CL_SUCCESS) return false;

  std::array<std::uint32_t, std::size_t{2} * lanes> words{};
  std::array<std::int32_t, lanes> wanted{}, sums{};
  for (std::uint32_t i = 0; i < lanes; ++i) {
    wanted[i] = 7;
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t left = 255 - 11 * i - k, right = (37 * i + 101 * k) & 255;
      words[i] |= left << (8 * k);
      words[lanes + i] |= right << (8 * k);
      wanted[i] += static_cast<std::int32_t>(left) * (static_cast<std::int32_t>(right) - (right > 127 ? 256 : 0));
    }
  }
  const MemHandle x(context.api, api.clCreateBuffer(context.context.get(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                                    sizeof words, words.data(), &status));
  if (status != CL_SUCCESS) return false;
  const MemHandle y(context.api,
                    api.clCreateBuffer(context.context.get(), CL_MEM_READ_WRITE, sizeof sums, nullptr, &status));
  if (status != CL_SUCCESS) return false;
  cl_mem arguments[] = {x.get(), y.get()};
  for (cl_uint i = 0; i < 2; ++i) {
    if (api.clSetKernelArg(kernel.get(), i, sizeof(cl_mem), &arguments[i]) != CL_SUCCESS) return false;
  }
  const std::size_t items = 1;
  status =
      api.clEnqueueNDRangeKernel(context.queue.get(), kernel.get(), 1, nullptr, &items, &items, 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return false;
  status =
      api.clEnqueueReadBuffer(context.queue.get(), y.get(), CL_TRUE, 0, sizeof sums, sums.data(), 0, nullptr, nullptr);
  return status == CL_SUCCESS && sums == wanted;
}

}  // namespace driftwood::gpu::opencl
