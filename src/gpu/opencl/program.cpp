#include "gpu/opencl/program.h"

#include <fmt/format.h>

#include "base/error.h"
#include "gpu/opencl/ptx_edit.h"
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

ProgramHandle from_binary(const Context& context, std::span<const std::byte> binary) {
  const Api& api = *context.api;
  const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  cl_int binary_status = CL_SUCCESS, status = CL_SUCCESS;
  ProgramHandle program(context.api, api.clCreateProgramWithBinary(context.context.get(), 1, &context.device, &size,
                                                                   &data, &binary_status, &status));
  if (status != CL_SUCCESS || binary_status != CL_SUCCESS) return {};
  return program;
}

ProgramHandle build_binary(const Context& context, std::span<const std::byte> binary, const std::string& options) {
  ProgramHandle program = from_binary(context, binary);
  if (!program ||
      context.api->clBuildProgram(program.get(), 1, &context.device, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
    return {};
  }
  return program;
}

ProgramHandle link(const Context& context, cl_program object) {
  cl_int status = CL_SUCCESS;
  ProgramHandle program(context.api, context.api->clLinkProgram(context.context.get(), 1, &context.device, "", 1,
                                                                &object, nullptr, nullptr, &status));
  if (status != CL_SUCCESS) return {};
  return program;
}

ProgramHandle link_object(const Context& context, std::span<const std::byte> object) {
  const ProgramHandle compiled = from_binary(context, object);
  return compiled ? link(context, compiled.get()) : ProgramHandle();
}

// Compiles and links; keeps what was compiled. A null handle where a step fails: building says why.
ProgramHandle compile_and_link(const Context& context, const std::string& source, const std::string& options,
                               const ProgramCache& cache, const std::string& key) {
  const Api& api = *context.api;
  const char* text = source.c_str();
  const std::size_t size = source.size();
  cl_int status = CL_SUCCESS;
  const ProgramHandle object(context.api,
                             api.clCreateProgramWithSource(context.context.get(), 1, &text, &size, &status));
  if (status != CL_SUCCESS || api.clCompileProgram(object.get(), 1, &context.device, options.c_str(), 0, nullptr,
                                                   nullptr, nullptr, nullptr) != CL_SUCCESS) {
    return {};
  }
  ProgramHandle program = link(context, object.get());
  if (!program) return {};
  const std::vector<std::byte> binary = program_binary(context, object.get());
  if (!binary.empty()) cache.store(key, binary);
  return program;
}

}  // namespace

std::string program_key(const BuildSettings& settings, std::string_view source) {
  return fmt::format("{}\n{}\n{}\n{}", settings.keeps_binaries ? "program" : "object", settings.device_key,
                     settings.options, source);
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
  if (result.status != CL_SUCCESS) {
    result.log = build_log(context, program.get());
    return result;
  }
  if (!needs_edited_ptx(source)) {
    result.program = std::move(program);
    return result;
  }
  auto edited = edited_ptx(program_binary(context, program.get()));
  ProgramHandle made = edited ? from_binary(context, *edited) : ProgramHandle();
  if (!made) {
    result.status = CL_BUILD_PROGRAM_FAILURE;
    result.log = "The driver's binary is no PTX for sm_90, as this kernel needs.";
    return result;
  }
  result.status = api.clBuildProgram(made.get(), 1, &context.device, options.c_str(), nullptr, nullptr);
  if (result.status != CL_SUCCESS) {
    result.log = build_log(context, made.get());
    return result;
  }
  result.program = std::move(made);
  result.edited = std::move(*edited);
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
  const bool keeps = cache.is_enabled();
  const std::string key = keeps ? program_key(settings, source) : std::string();
  if (keeps) {
    if (const auto kept = cache.load(key)) {
      ProgramHandle program =
          settings.keeps_binaries ? build_binary(context, *kept, settings.options) : link_object(context, *kept);
      if (program) return program;
    }
    if (!settings.keeps_binaries && !needs_edited_ptx(source)) {
      if (ProgramHandle program = compile_and_link(context, source, settings.options, cache, key)) return program;
    }
  }
  BuildResult result = build_source(context, source, settings.options);
  if (result.status != CL_SUCCESS) {
    if (result.log.empty()) check(result.status, fmt::format("The compilation of kernel '{}'", name));
    throw InternalError(fmt::format("The OpenCL driver does not compile kernel '{}' ({}):\n{}", name,
                                    status_name(result.status), first_lines(result.log)));
  }
  if (keeps && settings.keeps_binaries) {
    const std::vector<std::byte> binary =
        result.edited.empty() ? program_binary(context, result.program.get()) : std::move(result.edited);
    if (!binary.empty()) cache.store(key, binary);
  }
  return std::move(result.program);
}

}  // namespace driftwood::gpu::opencl
