#include "gpu/opencl/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "gpu/opencl/status.h"

namespace driftwood::gpu::opencl {
OpenClKernel::OpenClKernel(std::shared_ptr<Context> context, SharedProgram program, std::string entry_point,
                           std::string name, Signature signature, std::shared_ptr<const shader::OpenClBody> body)
    : context_(std::move(context)),
      program_(std::move(program)),
      entry_point_(std::move(entry_point)),
      name_(std::move(name)),
      signature_(std::move(signature)),
      body_(std::move(body)) {
  const KernelHandle kernel = instantiate();
  std::size_t limit = 0;
  check(context_->api->clGetKernelWorkGroupInfo(kernel.get(), context_->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit,
                                                &limit, nullptr),
        fmt::format("The question for the largest workgroup of kernel '{}'", name_));
  // NVIDIA's driver answers 256 for every kernel. A program that was built for groups of just this size runs in them: a
  // driver that could not would have refused to build it, and may still refuse the launch.
  std::array<std::size_t, 3> built_for = {0, 0, 0};
  if (context_->api->clGetKernelWorkGroupInfo(kernel.get(), context_->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                              sizeof built_for, built_for.data(), nullptr) == CL_SUCCESS) {
    limit = std::max(limit, built_for[0] * built_for[1] * built_for[2]);
  }
  max_workgroup_size_ = static_cast<std::uint32_t>(std::min<std::size_t>(limit, UINT32_MAX));
}

KernelHandle OpenClKernel::instantiate() const {
  cl_int status = CL_SUCCESS;
  KernelHandle kernel(context_->api, context_->api->clCreateKernel(program_->get(), entry_point_.c_str(), &status));
  if (status == CL_INVALID_KERNEL_NAME) {
    throw InternalError(fmt::format("The compiled program has no kernel '{}'.", entry_point_));
  }
  check(status, fmt::format("The creation of kernel '{}'", name_));
  return kernel;
}

}  // namespace driftwood::gpu::opencl
