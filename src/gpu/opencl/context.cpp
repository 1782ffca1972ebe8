#include "gpu/opencl/context.h"

#include "gpu/opencl/status.h"

namespace driftwood::gpu::opencl {

std::shared_ptr<Context> Context::open(const std::shared_ptr<const Api>& api, cl_platform_id platform,
                                       cl_device_id device) {
  auto opened = std::make_shared<Context>();
  opened->api = api;
  opened->device = device;
  opened->keeps_views = must_keep_views(*api, device);
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform),
                                              0};
  cl_int status = CL_SUCCESS;
  opened->context = ContextHandle(api, api->clCreateContext(properties, 1, &device, nullptr, nullptr, &status));
  check(status, "The creation of an OpenCL context");
  opened->queue = QueueHandle(api, api->clCreateCommandQueue(opened->context.get(), device, 0, &status));
  check(status, "The creation of an OpenCL queue");
  return opened;
}

}  // namespace driftwood::gpu::opencl
