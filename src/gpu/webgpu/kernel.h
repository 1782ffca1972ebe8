// A compiled kernel and its variants: one pipeline for each way in which its bindings meet (binding_use.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/signature.h"
#include "gpu/webgpu/binding_use.h"
#include "gpu/webgpu/context.h"

namespace driftwood::gpu::webgpu {

class WebGpuKernel : public Kernel {
 public:
  /// The WGSL of a variant.
  using Source = std::function<std::string(const std::vector<BindingUse>& uses)>;

  struct Variant {
    BindGroupLayoutHandle layout;
    PipelineHandle pipeline;
  };

  /// When the first variant is compiled: with the kernel, or when a dispatch needs it. In a model's memory bindings
  /// meet as a rule, so that the variant in which they do not would be compiled for nothing.
  enum class FirstVariant { AtOnce, WhenNeeded };

  /// `entry_point` names the function in the source, `name` the kernel
  /// in messages. Throws InvalidInput or Unsupported where the device's limits do not allow it or there is no such
  /// WGSL, InternalError where a source does not compile.
  WebGpuKernel(std::shared_ptr<Context> context, const DeviceFacts& facts, Source source, std::string entry_point,
               std::string name, Signature signature, FirstVariant first);

  const std::string& name() const override { return name_; }
  std::uint32_t max_workgroup_size() const override { return max_workgroup_size_; }
  std::array<std::uint32_t, 3> workgroup_size() const override { return signature_.workgroup_size; }
  const Signature& signature() const { return signature_; }
  const Context& context() const { return *context_; }
  std::size_t variants() const { return variants_.size(); }

  /// Compiled when it is first asked for; the errors are those of the constructor.
  const Variant& variant(const std::vector<BindingUse>& uses);

 private:
  void check_limits(const DeviceFacts& facts) const;
  BindGroupLayoutHandle make_layout(const std::vector<BindingUse>& uses) const;
  Variant compile(const std::vector<BindingUse>& uses) const;

  std::shared_ptr<Context> context_;
  Source source_;
  std::string entry_point_;
  std::string name_;
  std::string device_id_;
  Signature signature_;
  std::uint32_t max_workgroup_size_ = 1;
  std::map<std::vector<BindingUse>, Variant> variants_;
};

}  // namespace driftwood::gpu::webgpu
