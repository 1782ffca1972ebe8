// Dispatches with their arguments, encoded anew for each submission. Objective-C++.
#pragma once

#import <Metal/Metal.h>

#include <memory>
#include <vector>

#include "gpu/device.h"
#include "gpu/metal/context.h"
#include "gpu/metal/kernel.h"

namespace driftwood::gpu::metal {

class MetalRecording : public Recording {
 public:
  /// Throws InvalidInput where a binding does not fit its kernel.
  MetalRecording(std::shared_ptr<Context> context, std::vector<Dispatch> dispatches);

  std::size_t size() const override { return commands_.size(); }
  void set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) override;
  const Context& context() const { return *context_; }

  /// All dispatches, one after another, in one command buffer.
  void submit();
  /// Each in a command buffer of its own; nanoseconds by the GPU's clock.
  std::vector<double> submit_profiled();

 private:
  struct Argument {
    id<MTLBuffer> buffer = nil;
    NSUInteger offset = 0;
    id<MTLTexture> texture = nil;
  };
  struct Command {
    Dispatch dispatch;
    const MetalKernel* kernel = nullptr;  // the dispatch's
    std::vector<Argument> arguments;
    std::vector<std::uint32_t> lengths;
    bool is_empty() const;
  };

  void bind(Command& command);
  Argument argument(const Binding& binding, const Parameter& parameter, std::uint64_t& bytes) const;
  void encode(id<MTLComputeCommandEncoder> encoder, const Command& command) const;
  id<MTLComputeCommandEncoder> encoder_of(id<MTLCommandBuffer> commands) const;

  std::shared_ptr<Context> context_;
  std::vector<Command> commands_;
};

}  // namespace driftwood::gpu::metal
