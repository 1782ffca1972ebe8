// The OpenCL back end of gpu::Device.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "gpu/device.h"
#include "gpu/opencl/joined_recording.h"
#include "gpu/opencl/kernel.h"
#include "gpu/opencl/later_read.h"
#include "gpu/opencl/probes.h"
#include "gpu/opencl/program.h"
#include "gpu/opencl/transfer.h"

namespace driftwood::gpu::opencl {

/// A device that was found, not yet opened.
struct FoundDevice {
  std::string id;  // "opencl:0"
  std::string name;
  bool is_cpu = false;
  DeviceClass device_class = DeviceClass::OtherGpu;
  Platform platform;
  cl_device_id device = nullptr;
};

struct Enumeration {
  std::vector<FoundDevice> devices;  // GPUs and accelerators first, then CPUs; in the driver's order among themselves
  std::vector<DriverFailure> failures;
};

/// Never throws for a broken driver: it is listed in `failures`.
Enumeration enumerate(const LoaderOptions& options = {});

class OpenClDevice : public Device {
 public:
  /// Throws DeviceLost or OutOfMemory where the driver cannot open the device.
  explicit OpenClDevice(const FoundDevice& found, ProgramCache cache = ProgramCache::standard());
  ~OpenClDevice() override;

  const DeviceFacts& facts() const override { return facts_; }
  const shader::OpenClDialect& dialect() const { return probes_.dialect; }
  std::shared_ptr<Memory> allocate(const MemoryDescriptor& descriptor) override;
  void write(Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) override;
  void read(const Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) override;
  std::unique_ptr<PendingRead> read_later(const Memory& memory, std::uint64_t offset, std::size_t size) override;
  void fill_zero(Memory& memory, std::uint64_t offset, std::uint64_t size) override;
  std::shared_ptr<Kernel> compile(const shader::Module& module, const std::string& name) override;
  std::unique_ptr<Recording> record(std::vector<Dispatch> dispatches) override;
  std::unique_ptr<Recording> record_joined(std::vector<Dispatch> dispatches) override;
  /// How dispatches are joined here, and the same under settings of the caller's.
  JoinSettings join_settings() const;
  std::unique_ptr<JoinedRecording> record_joined(std::vector<Dispatch> dispatches, const JoinSettings& settings);
  void submit(Recording& recording) override;
  std::vector<double> submit_profiled(Recording& recording) override;
  void finish() override;
  std::uint64_t allocated_bytes() const override { return context_->allocated; }

  /// A kernel from OpenCL C, for what the kernel language does not say and for tests of this back end. Its arguments
  /// are those of shader::emit_opencl().
  std::shared_ptr<Kernel> compile_source(const std::string& source, const std::string& entry_point, std::string name,
                                         Signature signature, std::shared_ptr<const shader::OpenClBody> body = {});

 private:
  SharedProgram built(const std::string& source, std::string_view name);

  std::shared_ptr<Context> context_;
  ProgramCache cache_;
  DeviceFacts facts_;
  ProbeResults probes_;
  BuildSettings build_;
  std::unique_ptr<Transfer> transfer_;
  std::unique_ptr<LaterReads> later_reads_;
  std::shared_ptr<JoinFault> fault_;
  QueueHandle profiling_queue_;                                         // made when first asked for
  std::map<std::string, std::weak_ptr<const ProgramHandle>> programs_;  // by source, while a kernel of it lives
};

}  // namespace driftwood::gpu::opencl
