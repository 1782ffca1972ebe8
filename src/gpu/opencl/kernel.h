// A compiled kernel: what it takes and how large its workgroups may be.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/opencl/context.h"
#include "gpu/signature.h"
#include "shader/emit_opencl.h"

namespace driftwood::gpu::opencl {

/// A built program that may hold several kernels, shared by them.
using SharedProgram = std::shared_ptr<const ProgramHandle>;
/// Builds the program of a source, or finds it among those that are kept.
using BuildProgram = std::function<SharedProgram(const std::string& source)>;

class OpenClKernel : public Kernel {
 public:
  /// `entry_point` names the function in the program, `name` the kernel in messages. Throws InternalError where the
  /// program has no such kernel.
  OpenClKernel(std::shared_ptr<Context> context, SharedProgram program, std::string entry_point, std::string name,
               Signature signature, std::shared_ptr<const shader::OpenClBody> body = {});

  const std::string& name() const override { return name_; }
  std::uint32_t max_workgroup_size() const override { return max_workgroup_size_; }
  std::array<std::uint32_t, 3> workgroup_size() const override { return signature_.workgroup_size; }
  const Signature& signature() const { return signature_; }
  const Context& context() const { return *context_; }
  /// The kernel as a part of a larger program; null where it cannot be one.
  const std::shared_ptr<const shader::OpenClBody>& body() const { return body_; }

  /// A kernel object of its own, for arguments of its own.
  KernelHandle instantiate() const;

 private:
  std::shared_ptr<Context> context_;
  SharedProgram program_;
  std::string entry_point_;
  std::string name_;
  Signature signature_;
  std::shared_ptr<const shader::OpenClBody> body_;
  std::uint32_t max_workgroup_size_ = 1;
};

}  // namespace driftwood::gpu::opencl
