#include "gpu/opencl/join_fault.h"

#include <algorithm>

#include "gpu/launch_gave_up.h"
#include "gpu/opencl/status.h"

namespace driftwood::gpu::opencl {

JoinFault::JoinFault(std::shared_ptr<Context> context) : context_(std::move(context)) {
  const Api& api = *context_->api;
  cl_uint zero = 0;
  cl_int status = CL_SUCCESS;
  word_ = MemHandle(context_->api, api.clCreateBuffer(context_->context.get(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                                      sizeof zero, &zero, &status));
  driftwood::gpu::opencl::check(status, "The allocation of a word for joined launches");
}

bool JoinFault::look() {
  if (!is_unseen()) return false;
  seen_ = launched_;
  const Api& api = *context_->api;
  cl_uint word = 0;
  driftwood::gpu::opencl::check(
      api.clEnqueueReadBuffer(context_->queue.get(), word_.get(), CL_TRUE, 0, sizeof word, &word, 0, nullptr, nullptr),
      "A read from the device");
  if (word == 0) return false;
  word = 0;
  driftwood::gpu::opencl::check(
      api.clEnqueueWriteBuffer(context_->queue.get(), word_.get(), CL_TRUE, 0, sizeof word, &word, 0, nullptr, nullptr),
      "A write to the device");
  return true;
}

void JoinFault::note(std::uint32_t word, std::uint64_t launched) {
  if (word != 0) check();
  seen_ = std::max(seen_, launched);
}

void JoinFault::check() {
  if (!look()) return;
  has_happened_ = true;
  throw LaunchGaveUp(
      "The workgroups of a launch that waits for all of them did not all run at once, and it gave up: what it was to "
      "compute is not there. Later launches run a kernel each.");
}

}  // namespace driftwood::gpu::opencl
