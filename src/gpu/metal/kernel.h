// A compiled kernel. Objective-C++.
#pragma once

#import <Metal/Metal.h>

#include <memory>
#include <string>

#include "gpu/device.h"
#include "gpu/metal/context.h"
#include "gpu/signature.h"

namespace driftwood::gpu::metal {

/// The pipeline of the function `function` of an MSL program. Throws InternalError with the compiler's words where the
/// source does not compile, DeviceLost where the device makes no pipeline of it.
id<MTLComputePipelineState> build_pipeline(const Context& context, const std::string& source,
                                           const std::string& function, const std::string& name);

class MetalKernel : public Kernel {
 public:
  MetalKernel(std::shared_ptr<Context> context, id<MTLComputePipelineState> pipeline, std::string name,
              Signature signature);

  const std::string& name() const override { return name_; }
  std::uint32_t max_workgroup_size() const override { return max_workgroup_size_; }
  std::array<std::uint32_t, 3> workgroup_size() const override { return signature_.workgroup_size; }
  const Signature& signature() const { return signature_; }
  const Context& context() const { return *context_; }
  id<MTLComputePipelineState> pipeline() const { return pipeline_; }

 private:
  std::shared_ptr<Context> context_;
  id<MTLComputePipelineState> pipeline_;
  std::string name_;
  Signature signature_;
  std::uint32_t max_workgroup_size_;
};

}  // namespace driftwood::gpu::metal
