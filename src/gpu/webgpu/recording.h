// Dispatches with all bindings made: what is left for each submission is to encode them.
#pragma once

#include <memory>
#include <vector>

#include "gpu/device.h"
#include "gpu/webgpu/context.h"
#include "gpu/webgpu/kernel.h"

namespace driftwood::gpu::webgpu {

class WebGpuRecording : public Recording {
 public:
  /// Checks every dispatch against the limits of kernel and device. Throws InvalidInput where a binding, group count
  /// or workgroup does not fit, with the dispatch named.
  WebGpuRecording(std::shared_ptr<Context> context, const DeviceFacts& facts, std::vector<Dispatch> dispatches);

  std::size_t size() const override { return commands_.size(); }
  void set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) override;

  const Context& context() const { return *context_; }
  bool is_skipped(std::size_t dispatch) const;
  /// Submits everything.
  void submit() const;
  /// Encodes one dispatch as a pass of its own, with its times taken where `times` is given.
  void encode(WGPUCommandEncoder encoder, std::size_t dispatch, const WGPUPassTimestampWrites* times) const;

 private:
  struct Command {
    Dispatch dispatch;  // keeps kernel and memory alive
    WGPUComputePipeline pipeline = nullptr;
    BindGroupHandle group;
  };

  void bind(Command& command);
  void dispatch(WGPUComputePassEncoder pass, const Command& command) const;

  std::shared_ptr<Context> context_;
  DeviceFacts facts_;
  std::vector<Command> commands_;
};

}  // namespace driftwood::gpu::webgpu
