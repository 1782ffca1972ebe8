#include "gpu/opencl/addresses.h"

#include <vector>

#include "base/error.h"
#include "gpu/opencl/status.h"

namespace driftwood::gpu::opencl {

std::map<const OpenClMemory*, std::uint64_t> addresses_of(const Context& context,
                                                          std::span<OpenClMemory* const> memories,
                                                          const BuildProgram& build) {
  const Api& api = *context.api;
  std::map<const OpenClMemory*, std::uint64_t> addresses;
  for (OpenClMemory* each : memories) addresses[each] = 0;
  const SharedProgram program = build(
      "__kernel void tell(__global uchar* memory, __global ulong* addresses, uint i) { addresses[i] = (ulong)memory; "
      "}");
  cl_int status = CL_SUCCESS;
  const KernelHandle kernel(context.api, api.clCreateKernel(program->get(), "tell", &status));
  check(status, "The creation of a kernel that tells addresses");
  std::vector<cl_ulong> told(addresses.size(), 0);
  const MemHandle list(context.api, api.clCreateBuffer(context.context.get(), CL_MEM_READ_WRITE,
                                                       told.size() * sizeof(cl_ulong), nullptr, &status));
  check(status, "The allocation of a list of addresses");
  const cl_mem list_object = list.get();
  check(api.clSetKernelArg(kernel.get(), 1, sizeof(cl_mem), &list_object), "Setting an argument");
  const std::size_t one = 1;
  cl_uint i = 0;
  for (const auto& [memory, unused] : addresses) {
    const cl_mem object = memory->buffer();
    check(api.clSetKernelArg(kernel.get(), 0, sizeof(cl_mem), &object), "Setting an argument");
    check(api.clSetKernelArg(kernel.get(), 2, sizeof i, &i), "Setting an argument");
    check(api.clEnqueueNDRangeKernel(context.queue.get(), kernel.get(), 1, nullptr, &one, &one, 0, nullptr, nullptr),
          "The launch of a kernel that tells addresses");
    ++i;
  }
  check(api.clEnqueueReadBuffer(context.queue.get(), list.get(), CL_TRUE, 0, told.size() * sizeof(cl_ulong),
                                told.data(), 0, nullptr, nullptr),
        "A read from the device");
  i = 0;
  for (auto& [memory, address] : addresses) address = told[i++];
  return addresses;
}

}  // namespace driftwood::gpu::opencl
