// A device that claims to be a CPU or a GPU, so that both families of kernels run on it.
#pragma once

#include "gpu/device.h"

namespace driftwood::test {

class ClaimingDevice : public gpu::Device {
 public:
  ClaimingDevice(gpu::Device& device, bool is_cpu) : device_(device), facts_(device.facts()) { facts_.is_cpu = is_cpu; }

  const gpu::DeviceFacts& facts() const override { return facts_; }
  std::shared_ptr<gpu::Memory> allocate(const gpu::MemoryDescriptor& descriptor) override {
    return device_.allocate(descriptor);
  }
  void write(gpu::Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) override {
    device_.write(memory, offset, bytes);
  }
  void read(const gpu::Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) override {
    device_.read(memory, offset, bytes);
  }
  void fill_zero(gpu::Memory& memory, std::uint64_t offset, std::uint64_t size) override {
    device_.fill_zero(memory, offset, size);
  }
  std::shared_ptr<gpu::Kernel> compile(const shader::Module& module, const std::string& name) override {
    return device_.compile(module, name);
  }
  std::unique_ptr<gpu::Recording> record(std::vector<gpu::Dispatch> dispatches) override {
    return device_.record(std::move(dispatches));
  }
  void submit(gpu::Recording& recording) override { device_.submit(recording); }
  std::vector<double> submit_profiled(gpu::Recording& recording) override { return device_.submit_profiled(recording); }
  void finish() override { device_.finish(); }
  std::uint64_t allocated_bytes() const override { return device_.allocated_bytes(); }

 private:
  gpu::Device& device_;
  gpu::DeviceFacts facts_;
};

}  // namespace driftwood::test
