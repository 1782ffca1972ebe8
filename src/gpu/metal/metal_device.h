// The Metal back end of gpu::Device, for Apple's systems alone.
//
// What has been run and what has not: no Apple machine was there when this was written. The kernels (MSL) that it
// compiles run in the tests as C++ (tests/support/metal_cpu), every kernel and storage kind. This host part has only
// been checked by a compiler, against declarations of the API written from Apple's documentation
// (tests/support/metal_api): it has never opened a device.
//
// The header is plain C++; Objective-C is in the .mm files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"

namespace driftwood::gpu::metal {

/// A device that was found, not yet opened.
struct FoundDevice {
  std::string id;  // "metal:0"
  std::string name;
  DeviceClass device_class = DeviceClass::OtherGpu;
  std::uint64_t registry_id = 0;  // the system's number for it
};

/// A reason why Metal has no device.
struct DriverFailure {
  std::string source;
  std::string reason;
};

struct Enumeration {
  std::vector<FoundDevice> devices;  // in the system's order
  std::vector<DriverFailure> failures;
};

/// Never throws: where the system has no device, `failures` says so.
Enumeration enumerate();

class MetalDevice : public Device {
 public:
  /// Throws DeviceLost where the device has gone or cannot be opened.
  explicit MetalDevice(const FoundDevice& found);
  ~MetalDevice() override;

  const DeviceFacts& facts() const override;
  std::shared_ptr<Memory> allocate(const MemoryDescriptor& descriptor) override;
  void write(Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) override;
  void read(const Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) override;
  std::unique_ptr<PendingRead> read_later(const Memory& memory, std::uint64_t offset, std::size_t size) override;
  void fill_zero(Memory& memory, std::uint64_t offset, std::uint64_t size) override;
  std::shared_ptr<Kernel> compile(const shader::Module& module, const std::string& name) override;
  std::unique_ptr<Recording> record(std::vector<Dispatch> dispatches) override;
  void submit(Recording& recording) override;
  /// A command buffer for each dispatch, timed by the GPU.
  std::vector<double> submit_profiled(Recording& recording) override;
  void finish() override;
  std::uint64_t allocated_bytes() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace driftwood::gpu::metal
