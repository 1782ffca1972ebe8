#include "gpu/opencl/program.h"

#include <fmt/format.h>

#include "base/error.h"
#include "gpu/opencl/status.h"

namespace driftwood::gpu::opencl {
namespace {

constexpr int log_lines = 20;

std::string build_log(const Context& context, cl_program program) {
  std::size_t size = 0;
  const Api& api = *context.api;
  if (api.clGetProgramBuildInfo(program, context.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS)
    return {};
  std::string log(size, '\0');
  if (size == 0 || api.clGetProgramBuildInfo(program, context.device, CL_PROGRAM_BUILD_LOG, size, log.data(),
                                             nullptr) != CL_SUCCESS) {
    return {};
  }
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

std::string first_lines(const std::string& text) {
  std::size_t end = 0;
  for (int line = 0; line < log_lines && end != std::string::npos; ++line) end = text.find('\n', end + (line > 0));
  return end == std::string::npos ? text : text.substr(0, end) + "\n...";
}

ProgramHandle build_binary(const Context& context, std::span<const std::byte> binary, const std::string& options) {
  const Api& api = *context.api;
  const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  cl_int binary_status = CL_SUCCESS, status = CL_SUCCESS;
  ProgramHandle program(context.api, api.clCreateProgramWithBinary(context.context.get(), 1, &context.device, &size,
                                                                   &data, &binary_status, &status));
  if (status != CL_SUCCESS || binary_status != CL_SUCCESS || !program) return {};
  if (api.clBuildProgram(program.get(), 1, &context.device, options.c_str(), nullptr, nullptr) != CL_SUCCESS) return {};
  return program;
}

}  // namespace

std::string program_key(const BuildSettings& settings, std::string_view source) {
  return fmt::format("program\n{}\n{}\n{}", settings.device_key, settings.options, source);
}

BuildResult build_source(const Context& context, const std::string& source, const std::string& options) {
  const Api& api = *context.api;
  const char* text = source.c_str();
  const std::size_t size = source.size();
  BuildResult result;
  ProgramHandle program(context.api,
                        api.clCreateProgramWithSource(context.context.get(), 1, &text, &size, &result.status));
  if (result.status != CL_SUCCESS) return result;
  result.status = api.clBuildProgram(program.get(), 1, &context.device, options.c_str(), nullptr, nullptr);
  if (result.status == CL_SUCCESS) {
    result.program = std::move(program);
  } else {
    result.log = build_log(context, program.get());
  }
  return result;
}

std::vector<std::byte> program_binary(const Context& context, cl_program program) {
  const Api& api = *context.api;
  std::size_t size = 0;
  if (api.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS) return {};
  std::vector<std::byte> binary(size);
  auto* data = reinterpret_cast<unsigned char*>(binary.data());
  if (size == 0 || api.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, nullptr) != CL_SUCCESS) {
    return {};
  }
  return binary;
}

ProgramHandle build_program(const Context& context, const BuildSettings& settings, const ProgramCache& cache,
                            const std::string& source, std::string_view name) {
  const bool keeps = settings.keeps_binaries && cache.is_enabled();
  const std::string key = keeps ? program_key(settings, source) : std::string();
  if (keeps) {
    if (const auto binary = cache.load(key)) {
      if (ProgramHandle program = build_binary(context, *binary, settings.options)) return program;
    }
  }
  BuildResult result = build_source(context, source, settings.options);
  if (result.status != CL_SUCCESS) {
    if (result.log.empty()) check(result.status, fmt::format("The compilation of kernel '{}'", name));
    throw InternalError(fmt::format("The OpenCL driver does not compile kernel '{}' ({}):\n{}", name,
                                    status_name(result.status), first_lines(result.log)));
  }
  if (keeps) {
    const std::vector<std::byte> binary = program_binary(context, result.program.get());
    if (!binary.empty()) cache.store(key, binary);
  }
  return std::move(result.program);
}

}  // namespace driftwood::gpu::opencl
