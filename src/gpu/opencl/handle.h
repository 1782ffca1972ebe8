// Owners of OpenCL objects, released through the table of the driver that made them.
#pragma once

#include "gpu/handle.h"
#include "gpu/opencl/loader.h"

namespace driftwood::gpu::opencl {

template <class T, auto Release>
using Handle = gpu::Handle<Api, T, Release>;

using ContextHandle = Handle<cl_context, &Api::clReleaseContext>;
using QueueHandle = Handle<cl_command_queue, &Api::clReleaseCommandQueue>;
using MemHandle = Handle<cl_mem, &Api::clReleaseMemObject>;
using ProgramHandle = Handle<cl_program, &Api::clReleaseProgram>;
using KernelHandle = Handle<cl_kernel, &Api::clReleaseKernel>;
using EventHandle = Handle<cl_event, &Api::clReleaseEvent>;

}  // namespace driftwood::gpu::opencl
