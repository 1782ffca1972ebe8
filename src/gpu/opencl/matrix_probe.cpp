#include "gpu/opencl/matrix_probe.h"

#include <array>
#include <cstdint>

#include "base/half.h"
#include "gpu/opencl/program.h"

namespace driftwood::gpu::opencl {
namespace {

constexpr std::uint32_t extent = 16;

// x: the left matrix row by row, then the right one column by column. y: the product's first eight columns.
constexpr const char* source = R"(
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void probe(__global const uint4* x, __global float* y) {
  __local uint4 tile[64];
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  tile[lane] = x[lane];
  tile[lane + 32u] = x[lane + 32u];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint left = (uint)(size_t)tile + 2u * ((lane & 15u) * 16u + (lane >> 4) * 8u);
  uint right = (uint)(size_t)(tile + 32) + 2u * (((lane & 7u) + (lane >> 4) * 8u) * 16u + (lane & 8u));
  uint a, b, c, d, e, f, g, h;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(left) : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(e), "=r"(f), "=r"(g), "=r"(h) : "r"(right) : "memory");
  float p = 0.0f, q = 0.0f, r = 0.0f, s = 0.0f, d0, d1, d2, d3;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%10, %11, %12, %13};"
               : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
               : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f), "f"(p), "f"(q), "f"(r), "f"(s));
  uint at = (lane >> 2) * 8u + (lane & 3u) * 2u;
  y[at] = d0;
  y[at + 1u] = d1;
  y[at + 64u] = d2;
  y[at + 65u] = d3;
}
)";

// Small integers, so that every sum is exact.
int left(std::uint32_t row, std::uint32_t k) { return static_cast<int>((row * 5 + k * 3) % 7) - 3; }
int right(std::uint32_t k, std::uint32_t column) { return static_cast<int>((k * 2 + column * 9) % 11) - 5; }

}  // namespace

bool multiplies_matrices(const Context& context, const std::string& options) {
  const Api& api = *context.api;
  const BuildResult built = build_source(context, source, options);
  if (built.status != CL_SUCCESS) return false;
  cl_int status = CL_SUCCESS;
  const KernelHandle kernel(context.api, api.clCreateKernel(built.program.get(), "probe", &status));
  if (status != CL_SUCCESS) return false;

  std::array<std::uint16_t, std::size_t{2} * extent * extent> operands;
  for (std::uint32_t i = 0; i < extent; ++i) {
    for (std::uint32_t k = 0; k < extent; ++k) {
      operands[i * extent + k] = float_to_half(static_cast<float>(left(i, k)));
      operands[(extent + i) * extent + k] = float_to_half(static_cast<float>(right(k, i)));
    }
  }
  std::array<float, std::size_t{extent} * 8> product{};
  const MemHandle x(context.api, api.clCreateBuffer(context.context.get(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                                    sizeof operands, operands.data(), &status));
  if (status != CL_SUCCESS) return false;
  const MemHandle y(context.api,
                    api.clCreateBuffer(context.context.get(), CL_MEM_READ_WRITE, sizeof product, nullptr, &status));
  if (status != CL_SUCCESS) return false;
  cl_mem arguments[] = {x.get(), y.get()};
  for (cl_uint i = 0; i < 2; ++i) {
    if (api.clSetKernelArg(kernel.get(), i, sizeof(cl_mem), &arguments[i]) != CL_SUCCESS) return false;
  }
  const std::size_t items = 32;
  status =
      api.clEnqueueNDRangeKernel(context.queue.get(), kernel.get(), 1, nullptr, &items, &items, 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return false;
  status = api.clEnqueueReadBuffer(context.queue.get(), y.get(), CL_TRUE, 0, sizeof product, product.data(), 0, nullptr,
                                   nullptr);
  if (status != CL_SUCCESS) return false;
  for (std::uint32_t row = 0; row < extent; ++row) {
    for (std::uint32_t column = 0; column < 8; ++column) {
      int sum = 0;
      for (std::uint32_t k = 0; k < extent; ++k) sum += left(row, k) * right(k, column);
      if (product[row * 8 + column] != static_cast<float>(sum)) return false;
    }
  }
  return true;
}

}  // namespace driftwood::gpu::opencl
