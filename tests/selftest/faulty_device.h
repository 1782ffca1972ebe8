// Devices with seeded faults: one that computes a kernel wrong, one whose compiler refuses it, one that is lost in
// mid-run, one with facts that are not true.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "gpu/device.h"

namespace driftwood::test {

/// Shared by all devices of a test, as a driver's state is.
struct Faults {
  std::set<std::string> miscompiled = {};  // names of kernels: all that they write has a bit turned
  std::set<std::string> refused = {};      // names of kernels that do not compile
  std::set<std::size_t> lost_at = {};      // submissions, counted over all devices, in which the device is lost
  std::set<std::string> losing = {};       // names of kernels in which the device is lost
  std::function<void(gpu::DeviceFacts&)> lies = {};  // about the facts
  std::size_t submissions = 0, compiled = 0, opened = 0;
};

class FaultyDevice : public gpu::Device {
 public:
  FaultyDevice(std::unique_ptr<gpu::Device> device, std::shared_ptr<Faults> faults)
      : device_(std::move(device)), faults_(std::move(faults)), facts_(device_->facts()) {
    ++faults_->opened;
    facts_.id = "faulty:0";
    facts_.device_class = gpu::DeviceClass::OtherGpu;
    if (faults_->lies) faults_->lies(facts_);
  }

  const gpu::DeviceFacts& facts() const override { return facts_; }
  std::shared_ptr<gpu::Memory> allocate(const gpu::MemoryDescriptor& descriptor) override {
    return device_->allocate(descriptor);
  }
  void write(gpu::Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) override {
    check();
    device_->write(memory, offset, bytes);
  }
  void read(const gpu::Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) override {
    check();
    device_->read(memory, offset, bytes);
  }
  void fill_zero(gpu::Memory& memory, std::uint64_t offset, std::uint64_t size) override {
    device_->fill_zero(memory, offset, size);
  }
  std::shared_ptr<gpu::Kernel> compile(const shader::Module& module, const std::string& name) override {
    check();
    ++faults_->compiled;
    if (faults_->refused.contains(name)) throw InternalError("The compiler refuses the kernel '" + name + "'.");
    auto kernel = device_->compile(module, name);
    std::vector<std::size_t> written;
    for (std::size_t i = 0; i < module.resources.size(); ++i) {
      if (module.resources[i]->access != shader::Access::Read) written.push_back(i);
    }
    written_[kernel.get()] = std::move(written);
    kept_.push_back(kernel);
    return kernel;
  }

  /// One recording a dispatch, so that what a kernel wrote is spoilt before the next reads it.
  std::unique_ptr<gpu::Recording> record(std::vector<gpu::Dispatch> dispatches) override {
    auto recording = std::make_unique<Parts>();
    for (gpu::Dispatch& dispatch : dispatches) {
      Part part;
      part.kernel = dispatch.kernel->name();
      if (faults_->miscompiled.contains(part.kernel)) {
        for (const std::size_t i : written_.at(dispatch.kernel.get())) part.spoilt.push_back(dispatch.bindings[i]);
      }
      std::vector<gpu::Dispatch> one;
      one.push_back(std::move(dispatch));
      part.recording = device_->record(std::move(one));
      recording->parts.push_back(std::move(part));
    }
    return recording;
  }
  void submit(gpu::Recording& recording) override {
    check();
    if (faults_->lost_at.contains(faults_->submissions++)) is_lost_ = true;
    for (Part& part : dynamic_cast<Parts&>(recording).parts) {
      if (faults_->losing.contains(part.kernel)) is_lost_ = true;
      check();
      device_->submit(*part.recording);
      for (const gpu::Binding& binding : part.spoilt) spoil(binding);
    }
  }
  std::vector<double> submit_profiled(gpu::Recording& recording) override {
    submit(recording);
    return std::vector<double>(recording.size(), 1.0);
  }
  void finish() override { check(); }
  std::uint64_t allocated_bytes() const override { return device_->allocated_bytes(); }

 private:
  struct Part {
    std::string kernel;
    std::unique_ptr<gpu::Recording> recording;
    std::vector<gpu::Binding> spoilt;
  };
  struct Parts : gpu::Recording {
    std::vector<Part> parts;
    std::size_t size() const override { return parts.size(); }
    void set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) override {
      parts.at(dispatch).recording->set_workgroups(0, workgroups);
    }
  };

  void check() const {
    if (is_lost_) throw DeviceLost("The device 'faulty:0' is lost.");
  }

  void spoil(const gpu::Binding& binding) {
    const gpu::MemoryDescriptor& descriptor = binding.memory->descriptor();
    if (descriptor.kind != StorageKind::Buffer) return;
    std::vector<std::byte> bytes(binding.size != 0 ? binding.size : descriptor.bytes - binding.offset);
    device_->read(*binding.memory, binding.offset, bytes);
    for (std::size_t i = 2; i < bytes.size(); i += 4) bytes[i] ^= std::byte{0x40};
    device_->write(*binding.memory, binding.offset, bytes);
  }

  std::unique_ptr<gpu::Device> device_;
  std::shared_ptr<Faults> faults_;
  gpu::DeviceFacts facts_;
  bool is_lost_ = false;
  std::map<const gpu::Kernel*, std::vector<std::size_t>> written_;
  std::vector<std::shared_ptr<gpu::Kernel>> kept_;
};

}  // namespace driftwood::test
