// The WebGPU back end of gpu::Device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/webgpu/context.h"
#include "gpu/webgpu/kernel.h"
#include "gpu/webgpu/later_read.h"
#include "gpu/webgpu/loader.h"
#include "gpu/webgpu/transfer.h"
#include "shader/emit_wgsl.h"

namespace driftwood::gpu::webgpu {

/// A device that was found, not yet opened.
struct FoundDevice {
  std::string id;  // "webgpu:0"
  std::string name;
  DeviceClass device_class = DeviceClass::OtherGpu;
  const Instance* instance = nullptr;
  AdapterRequest request;
};

struct Enumeration {
  std::vector<FoundDevice> devices;  // Dawn's first, then wgpu-native's
  std::vector<DriverFailure> failures;
};

/// Never throws for a broken library or driver: it is listed in `failures`.
Enumeration enumerate(const LoaderOptions& options = LoaderOptions::standard());

class WebGpuDevice : public Device {
 public:
  /// Throws DeviceLost or OutOfMemory where the driver cannot open the device.
  explicit WebGpuDevice(const FoundDevice& found, ProgramCache cache = ProgramCache::standard());
  ~WebGpuDevice() override;

  const DeviceFacts& facts() const override { return facts_; }
  const shader::WgslDialect& dialect() const { return dialect_; }
  Context& context() { return *context_; }
  std::shared_ptr<Memory> allocate(const MemoryDescriptor& descriptor) override;
  void write(Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) override;
  void read(const Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) override;
  std::unique_ptr<PendingRead> read_later(const Memory& memory, std::uint64_t offset, std::size_t size) override;
  void fill_zero(Memory& memory, std::uint64_t offset, std::uint64_t size) override;
  std::shared_ptr<Kernel> compile(const shader::Module& module, const std::string& name) override;
  std::unique_ptr<Recording> record(std::vector<Dispatch> dispatches) override;
  void submit(Recording& recording) override;
  /// By the device's timestamps; where it has none, by the clock of the host around each dispatch.
  std::vector<double> submit_profiled(Recording& recording) override;
  void finish() override;
  std::uint64_t allocated_bytes() const override { return context_->allocated; }

  /// A kernel from WGSL, for what the kernel language does not say and for tests of this back end. `source` gives the
  /// text of each variant (binding_use.h); a fixed text serves where no bindings meet.
  std::shared_ptr<WebGpuKernel> compile_source(WebGpuKernel::Source source, const std::string& entry_point,
                                               std::string name, Signature signature);
  std::shared_ptr<WebGpuKernel> compile_source(std::string source, const std::string& entry_point, std::string name,
                                               Signature signature);

 private:
  void probe_subgroups();
  void probe_matrices();

  std::shared_ptr<Context> context_;
  DeviceFacts facts_;
  shader::WgslDialect dialect_;
  std::unique_ptr<Transfer> transfer_;
  std::unique_ptr<LaterReads> later_reads_;
};

}  // namespace driftwood::gpu::webgpu
