// Dispatches with all arguments set: what is left for each submission is one enqueue a dispatch.
#pragma once

#include <memory>
#include <vector>

#include "gpu/device.h"
#include "gpu/opencl/context.h"

namespace driftwood::gpu::opencl {

class OpenClRecording : public Recording {
 public:
  /// Checks every dispatch against the limits of kernel and device. Throws InvalidInput where a binding, group count
  /// or workgroup does not fit, with the dispatch named.
  OpenClRecording(std::shared_ptr<Context> context, const DeviceFacts& facts, std::vector<Dispatch> dispatches);

  std::size_t size() const override { return commands_.size(); }
  void set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) override;

  const Context& context() const { return *context_; }
  /// Enqueues everything on `queue`. With `events`, one a dispatch (null where it is skipped).
  virtual void enqueue(cl_command_queue queue, std::vector<EventHandle>* events = nullptr);

 protected:
  struct Command {
    Dispatch dispatch;  // keeps kernel and memory alive
    KernelHandle kernel;
    std::array<std::size_t, 3> global = {0, 0, 0};  // invocations; all 0: skipped
    std::array<std::size_t, 3> local = {1, 1, 1};
    std::vector<cl_uint> lengths;  // of arrays, the kernel's last arguments
  };

  const std::shared_ptr<Context>& shared_context() const { return context_; }
  const std::vector<Command>& commands() const { return commands_; }

 private:
  void bind(Command& command);

  std::shared_ptr<Context> context_;
  DeviceFacts facts_;
  std::vector<Command> commands_;
};

}  // namespace driftwood::gpu::opencl
