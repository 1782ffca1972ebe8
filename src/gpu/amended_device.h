// A device under facts that are not its own: with features that it gets wrong switched off, or with kernels that are
// not to be chosen. All else goes to the device itself, whose memory, kernels and recordings these are.
#pragma once

#include <memory>
#include <utility>

#include "gpu/device.h"

namespace driftwood::gpu {

class AmendedDevice : public Device {
 public:
  /// `device` is not owned and must live as long.
  AmendedDevice(Device& device, DeviceFacts facts) : device_(device), facts_(std::move(facts)) {}
  AmendedDevice(std::unique_ptr<Device> device, DeviceFacts facts)
      : owned_(std::move(device)), device_(*owned_), facts_(std::move(facts)) {}

  const DeviceFacts& facts() const override { return facts_; }
  std::shared_ptr<Memory> allocate(const MemoryDescriptor& descriptor) override { return device_.allocate(descriptor); }
  void write(Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) override {
    device_.write(memory, offset, bytes);
  }
  void read(const Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) override {
    device_.read(memory, offset, bytes);
  }
  std::unique_ptr<PendingRead> read_later(const Memory& memory, std::uint64_t offset, std::size_t size) override {
    return device_.read_later(memory, offset, size);
  }
  void fill_zero(Memory& memory, std::uint64_t offset, std::uint64_t size) override {
    device_.fill_zero(memory, offset, size);
  }
  std::shared_ptr<Kernel> compile(const shader::Module& module, const std::string& name) override {
    return device_.compile(module, name);
  }
  std::unique_ptr<Recording> record(std::vector<Dispatch> dispatches) override {
    return device_.record(std::move(dispatches));
  }
  std::unique_ptr<Recording> record_joined(std::vector<Dispatch> dispatches) override {
    return device_.record_joined(std::move(dispatches));
  }
  void submit(Recording& recording) override { device_.submit(recording); }
  std::vector<double> submit_profiled(Recording& recording) override { return device_.submit_profiled(recording); }
  void finish() override { device_.finish(); }
  std::uint64_t allocated_bytes() const override { return device_.allocated_bytes(); }

 private:
  std::unique_ptr<Device> owned_ = {};
  Device& device_;
  DeviceFacts facts_;
};

}  // namespace driftwood::gpu
