// OpenCL status codes as names and as Driftwood's typed errors.
#pragma once

#include <string>
#include <string_view>

#include "gpu/opencl/loader.h"

namespace driftwood::gpu::opencl {

/// "CL_OUT_OF_RESOURCES (-5)".
std::string status_name(cl_int status);

/// Throws where `status` is no success: OutOfMemory for exhausted memory, else DeviceLost. `what` names the call's
/// purpose as the subject of a sentence: "The launch of kernel 'rms_norm'".
void check(cl_int status, std::string_view what);

}  // namespace driftwood::gpu::opencl
