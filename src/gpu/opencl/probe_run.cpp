#include "gpu/opencl/probe_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "gpu/opencl/program.h"

namespace driftwood::gpu::opencl {

std::optional<std::vector<std::uint32_t>> run_probe(const Context& context, const ProbeKernel& kernel,
                                                    const shader::OpenClDialect& dialect, const std::string& options) {
  const Api& api = *context.api;
  std::string source;
  try {
    source = shader::emit_opencl(kernel.module, dialect);
  } catch (const Error&) {
    return std::nullopt;
  }
  const BuildResult built = build_source(context, source, options);
  if (built.status != CL_SUCCESS) return std::nullopt;
  cl_int status = CL_SUCCESS;
  const std::string name = shader::opencl_kernel_name(kernel.module);
  const KernelHandle compiled(context.api, api.clCreateKernel(built.program.get(), name.c_str(), &status));
  if (status != CL_SUCCESS) return std::nullopt;

  // Words that no right answer holds, so that what is not written shows.
  std::vector<std::uint32_t> written(kernel.outputs, 0xdeadbeef), read = kernel.input;
  std::vector<MemHandle> memories;
  for (std::vector<std::uint32_t>* words : {&read, &written}) {
    if (words->empty()) continue;
    memories.emplace_back(context.api,
                          api.clCreateBuffer(context.context.get(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                             words->size() * sizeof(std::uint32_t), words->data(), &status));
    if (status != CL_SUCCESS) return std::nullopt;
    const cl_mem memory = memories.back().get();
    const auto index = static_cast<cl_uint>(memories.size() - 1);
    if (api.clSetKernelArg(compiled.get(), index, sizeof(cl_mem), &memory) != CL_SUCCESS) return std::nullopt;
  }
  for (std::size_t i = 0; i < memories.size(); ++i) {
    const cl_ulong offset = 0;
    const auto index = static_cast<cl_uint>(memories.size() + i);
    if (api.clSetKernelArg(compiled.get(), index, sizeof offset, &offset) != CL_SUCCESS) return std::nullopt;
  }
  const std::size_t items = kernel.module.entry_point->workgroup_size[0];
  status =
      api.clEnqueueNDRangeKernel(context.queue.get(), compiled.get(), 1, nullptr, &items, &items, 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return std::nullopt;
  status = api.clEnqueueReadBuffer(context.queue.get(), memories.back().get(), CL_TRUE, 0,
                                   written.size() * sizeof(std::uint32_t), written.data(), 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return std::nullopt;
  return written;
}

std::vector<shader::OpenClDialect> subgroup_candidates(const std::function<bool(std::string_view)>& has_extension,
                                                       std::span<const std::size_t> sizes) {
  using Subgroups = shader::OpenClDialect::Subgroups;
  // A compiler that chooses the size kernel by kernel has to be told one.
  std::vector<std::string> attributes;
  if (has_extension("cl_intel_required_subgroup_size")) {
    for (const std::size_t size : {16, 32, 8}) {
      if (std::ranges::find(sizes, size) == sizes.end()) continue;
      attributes.push_back(fmt::format("intel_reqd_sub_group_size({})", size));
    }
  } else if (has_extension("cl_qcom_reqd_sub_group_size")) {
    attributes = {"qcom_reqd_sub_group_size(\"half\")", "qcom_reqd_sub_group_size(\"full\")"};
  }
  if (attributes.empty()) attributes.emplace_back();

  std::vector<shader::OpenClDialect> candidates;
  for (const std::string& attribute : attributes) {
    shader::OpenClDialect dialect;
    dialect.subgroup_attribute = attribute;
    if (has_extension("cl_khr_subgroups") && has_extension("cl_khr_subgroup_shuffle")) {
      dialect.subgroups = Subgroups::Khr;
      dialect.relative_shuffles = has_extension("cl_khr_subgroup_shuffle_relative");
      candidates.push_back(dialect);
    }
    if (has_extension("cl_intel_subgroups")) {
      dialect.subgroups = Subgroups::Intel;
      dialect.relative_shuffles = true;
      candidates.push_back(dialect);
    }
  }
  return candidates;
}

}  // namespace driftwood::gpu::opencl
