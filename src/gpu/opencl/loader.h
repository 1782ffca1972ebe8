// The OpenCL driver, opened when the program runs: nothing links against it, so one binary serves machines with and
// without OpenCL. The functions come from the ICD loader (libOpenCL.so.1) or, where there is none, straight from a
// vendor's library through the dispatch table that the ICD extension prescribes (cl_khr_icd).
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace driftwood::gpu::opencl {

// X(name): every function that a driver must have (OpenCL 1.2).
// clang-format off
#define DRIFTWOOD_OPENCL_FUNCTIONS(X)                                                                           \
  X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo) X(clCreateContext) X(clReleaseContext)              \
  X(clCreateCommandQueue) X(clReleaseCommandQueue) X(clCreateBuffer) X(clCreateSubBuffer) X(clCreateImage)      \
  X(clReleaseMemObject) X(clGetSupportedImageFormats) X(clCreateProgramWithSource) X(clCreateProgramWithBinary) \
  X(clBuildProgram) X(clCompileProgram) X(clLinkProgram) X(clReleaseProgram) X(clGetProgramInfo)                \
  X(clGetProgramBuildInfo) X(clCreateKernel)                                                                    \
  X(clReleaseKernel) X(clSetKernelArg) X(clGetKernelWorkGroupInfo) X(clWaitForEvents) X(clReleaseEvent)         \
  X(clGetEventProfilingInfo) X(clFlush) X(clFinish) X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer)              \
  X(clEnqueueFillBuffer) X(clEnqueueReadImage) X(clEnqueueWriteImage) X(clEnqueueFillImage)                     \
  X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject) X(clEnqueueMigrateMemObjects) X(clEnqueueNDRangeKernel)
// clang-format on

/// Function pointers of one driver (or of the ICD loader, which serves all drivers that it finds).
struct Api {
#define DRIFTWOOD_MEMBER(name) decltype(&::name) name = nullptr;
  DRIFTWOOD_OPENCL_FUNCTIONS(DRIFTWOOD_MEMBER)
#undef DRIFTWOOD_MEMBER
};

/// A driver that could not be used, and why, as a sentence.
struct DriverFailure {
  std::string source;  // library or .icd file
  std::string reason;
};

struct Platform {
  std::shared_ptr<const Api> api;
  cl_platform_id platform = nullptr;
  std::string source;  // the library that served it
};

struct Drivers {
  std::vector<Platform> platforms;
  std::vector<DriverFailure> failures;
};

/// Where to look.
struct LoaderOptions {
  std::vector<std::string> loader_libraries = {"libOpenCL.so.1", "libOpenCL.so"};
  /// Drivers of GPUs, opened directly where the loader does not serve them: containers often have a driver but no .icd
  /// file that names it. Where $OCL_ICD_VENDORS is set, it is the user's own choice and nothing is added to what
  /// the loader gives.
  std::vector<std::string> vendor_libraries = {"libnvidia-opencl.so.1",
                                               "/usr/local/nvidia/lib64/libnvidia-opencl.so.1",
                                               "/usr/lib/wsl/lib/libnvidia-opencl.so.1",
                                               "libamdocl64.so",
                                               "/opt/rocm/lib/libamdocl64.so",
                                               "libigdrcl.so",
                                               "libmali.so.1"};
  /// Tried in order where neither gives a platform.
  std::vector<std::string> fallback_libraries = {"libpocl.so.2"};
};

/// Opens what there is. Never throws for a broken driver: it is listed in `failures`. Libraries stay open until the
/// process ends, as drivers keep threads and exit handlers that must not lose their code.
Drivers load_drivers(const LoaderOptions& options = {});

}  // namespace driftwood::gpu::opencl
