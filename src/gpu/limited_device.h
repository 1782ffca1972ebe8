// A device made smaller: it refuses what a device with its facts would refuse, whatever the one below could do.
//
//   gpu::LimitedDevice phone(gpu::open_device("opencl:0"), {.is_cpu = false, .max_workgroup_size = 64});
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/device_limits.h"

namespace driftwood::gpu {

/// Memory and kernels are those of the device below.
class LimitedDevice : public Device {
 public:
  /// Throws InvalidInput for limits that would make the device larger.
  LimitedDevice(std::shared_ptr<Device> device, const DeviceLimits& limits);

  const DeviceFacts& facts() const override { return facts_; }
  /// OutOfMemory over max_allocation, global_memory or an extent of images.
  std::shared_ptr<Memory> allocate(const MemoryDescriptor& descriptor) override;
  void write(Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) override;
  void read(const Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) override;
  std::unique_ptr<PendingRead> read_later(const Memory& memory, std::uint64_t offset, std::size_t size) override {
    return device_->read_later(memory, offset, size);
  }
  void fill_zero(Memory& memory, std::uint64_t offset, std::uint64_t size) override;
  /// InvalidInput over the limits of workgroups or bindings, OutOfMemory over local_memory, Unsupported for what the
  /// facts do not have.
  std::shared_ptr<Kernel> compile(const shader::Module& module, const std::string& name) override;
  /// InvalidInput over max_binding or max_workgroup_count, or for an offset that is not aligned.
  std::unique_ptr<Recording> record(std::vector<Dispatch> dispatches) override;
  std::unique_ptr<Recording> record_joined(std::vector<Dispatch> dispatches) override;
  void submit(Recording& recording) override;
  std::vector<double> submit_profiled(Recording& recording) override;
  void finish() override { device_->finish(); }
  std::uint64_t allocated_bytes() const override { return device_->allocated_bytes(); }

 private:
  void check(const std::vector<Dispatch>& dispatches) const;
  void check_binding(const Binding& binding, const Dispatch& dispatch) const;

  std::shared_ptr<Device> device_;
  DeviceFacts facts_;
};

}  // namespace driftwood::gpu
