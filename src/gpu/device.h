// A device that runs kernels: facts, memory, compilation, recorded work, read-back, time.
//
//   auto device = gpu::open_device("opencl:0");            // gpu/registry.h
//   auto memory = device->allocate({.bytes = 1024});
//   device->write(*memory, 0, bytes);
//   auto kernel = device->compile(module, "rms_norm");     // a checked, virtualised shader::Module
//   auto work = device->record({{.kernel = kernel, .bindings = {{memory}}, .workgroups = {4, 1, 1}}});
//   device->submit(*work);                                 // in order with everything submitted before
//   device->read(*memory, 0, out);                         // waits for what it depends on
//
// One thread at a time may use a Device. Errors: OutOfMemory where an allocation or limit is exceeded, InvalidInput
// where an argument does not fit the facts, Unsupported, DeviceLost where the driver fails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shader/ir.h"
#include "tensor/data_type.h"
#include "tensor/layout.h"

namespace driftwood::gpu {

/// What a device is, best first: the order in which devices are chosen.
enum class DeviceClass : std::uint8_t {
  DiscreteGpu,
  IntegratedGpu,
  OtherGpu,  // a GPU or accelerator that does not say which
  Cpu,       // a driver made for CPUs
  Software,  // a GPU's API computed by the CPU (SwiftShader, lavapipe): never chosen unless it is named
  Reference,
};
std::string_view to_string(DeviceClass device_class);

/// Facts of a device, as questions. Zero: the device has none of it.
struct DeviceFacts {
  std::string id;    // "opencl:0", "reference"
  std::string name;  // as the driver gives it
  std::string vendor;
  std::string api;     // "OpenCL 3.0"
  std::string driver;  // driver and platform version; part of every cache key
  DeviceClass device_class = DeviceClass::OtherGpu;
  /// Wants the kernels of CPUs: one invocation a group, wide vectors in registers. False of Software devices, whose
  /// languages have no such vectors.
  bool is_cpu = false;
  bool shares_host_memory = false;
  std::uint32_t compute_units = 1;
  std::uint32_t max_workgroup_size = 1;  // threads in a group; a compiled kernel may allow fewer
  std::array<std::uint32_t, 3> max_workgroup_extent = {1, 1, 1};
  std::array<std::uint32_t, 3> max_workgroup_count = {65535, 65535, 65535};
  std::uint64_t local_memory = 0;      // bytes of workgroup memory
  std::uint64_t global_memory = 0;     // bytes
  std::uint64_t max_allocation = 0;    // bytes of one buffer
  std::uint64_t max_binding = 0;       // bytes of a buffer that one binding reaches; 0: all of it
  std::uint32_t max_bindings = 0;      // of one kernel; 0: as many as it likes
  std::uint64_t buffer_alignment = 4;  // of the offset of a binding, bytes
  bool has_images = false;
  bool has_3d_image_writes = false;
  std::uint64_t max_image_buffer = 0;  // texels
  std::array<std::uint32_t, 2> max_image_2d = {0, 0};
  std::array<std::uint32_t, 3> max_image_3d = {0, 0, 0};
  std::uint32_t max_image_layers = 0;
  bool has_f16_arithmetic = false;
  bool has_subgroups = false;       // subgroup builtins lower to the device's own
  std::uint32_t subgroup_size = 1;  // 1 where it has none
  bool has_packed_dot = false;      // an integer dot instruction behind dot4I8Packed
  bool has_wide_dot = false;        // one behind dot4U8I8Packed of vec16
  bool has_matrices = false;        // matrix units behind the matrices of a subgroup (16 x 16, f16 summed in f32)
  /// Bytes of workgroup memory that a kernel with a pipeline (stages, products of a workgroup) may use, which may be
  /// more than others; 0: it has none that is faster than what it is lowered to.
  std::uint64_t pipeline_memory = 0;
  /// An array in workgroup memory holds matrices of f16 or of f32, not both: WebGPU's languages.
  bool has_typed_matrix_memory = false;
  /// Which invocation holds what of a matrix is the driver's secret, as is the order of its instructions: products hide
  /// less of what they wait for, so that more subgroups with smaller parts are better. WebGPU's.
  bool has_opaque_matrices = false;
  /// Dispatches can be joined to one launch, which is faster where each does little: workgroups that are resident meet
  /// at barriers in memory.
  bool joins_dispatches = false;
  /// Rows of the selection table (graph/selection.h) that gave wrong numbers here: another that applies is taken.
  std::vector<std::string> distrusted_kernels = {};
};

/// Whether kernels with a pipeline reach the device as they are. The interpreter takes what they are lowered to.
inline bool runs_pipeline(const DeviceFacts& facts) {
  return facts.pipeline_memory > 0 && facts.device_class != DeviceClass::Reference;
}

/// One physical object: a buffer of bytes, or an image of vec4 texels.
struct MemoryDescriptor {
  StorageKind kind = StorageKind::Buffer;
  std::uint64_t bytes = 0;                          // Buffer only
  DataType texel = DataType::F32;                   // images
  std::array<std::uint32_t, 3> extent = {1, 1, 1};  // images, in texels
};

class Memory {
 public:
  virtual ~Memory() = default;
  virtual const MemoryDescriptor& descriptor() const = 0;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const std::string& name() const = 0;
  /// The largest workgroup this kernel can be launched with on its device.
  virtual std::uint32_t max_workgroup_size() const = 0;
  virtual std::array<std::uint32_t, 3> workgroup_size() const = 0;
};

/// A part of a buffer (size 0: to its end), or a whole image. Offsets are multiples of facts().buffer_alignment.
struct Binding {
  std::shared_ptr<Memory> memory;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

struct Dispatch {
  std::shared_ptr<Kernel> kernel;
  std::vector<Binding> bindings;  // one for each resource of the kernel, in order of binding
  std::array<std::uint32_t, 3> workgroups = {1, 1, 1};
  std::string label = {};  // for profiles
};

/// Dispatches prepared once and submitted many times (arguments are set when it is recorded).
class Recording {
 public:
  virtual ~Recording() = default;
  virtual std::size_t size() const = 0;
  /// Changes the grid of one dispatch for the submissions that follow (an active length that varies). 0 groups:
  /// skipped.
  virtual void set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) = 0;
};

/// Bytes on their way from a device to the host.
class PendingRead {
 public:
  virtual ~PendingRead() = default;
  /// Waits until they are there; the span lives as long as this object. Throws what Device::read throws.
  virtual std::span<const std::byte> wait() = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceFacts& facts() const = 0;
  /// Contents are undefined until written (the reference device reports reads of unwritten bytes).
  virtual std::shared_ptr<Memory> allocate(const MemoryDescriptor& descriptor) = 0;
  /// Copies into a buffer at a byte offset, or the whole of an image (tightly packed texels, x fastest).
  virtual void write(Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  /// Copies out, after all submitted work has run.
  virtual void read(const Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) = 0;
  /// Copies some bytes of a buffer out as they are when the work submitted before has run. Returns without waiting;
  /// who waits for the bytes does not wait for work that is submitted later (a device that knows no better way reads
  /// them at once). For a few words: offset and size are multiples of 4.
  virtual std::unique_ptr<PendingRead> read_later(const Memory& memory, std::uint64_t offset, std::size_t size);
  /// Sets `size` bytes of a buffer to zero.
  virtual void fill_zero(Memory& memory, std::uint64_t offset, std::uint64_t size) = 0;
  /// `module` is virtualised and optimised; the device emits its own language from it (or interprets it).
  virtual std::shared_ptr<Kernel> compile(const shader::Module& module, const std::string& name) = 0;
  virtual std::unique_ptr<Recording> record(std::vector<Dispatch> dispatches) = 0;
  /// The same, to be run as one launch whose workgroups wait for each other between dispatches, where the device can
  /// (facts().joins_dispatches) and the kernels allow it; else as record() does. Where workgroups turn out not to run
  /// all at once, reads and finish() throw DeviceLost once, and recordings run a launch a dispatch from then on.
  virtual std::unique_ptr<Recording> record_joined(std::vector<Dispatch> dispatches) {
    return record(std::move(dispatches));
  }
  /// Runs after everything submitted before; returns without waiting.
  virtual void submit(Recording& recording) = 0;
  /// Runs and waits; nanoseconds of each dispatch as the device measures them.
  virtual std::vector<double> submit_profiled(Recording& recording) = 0;
  virtual void finish() = 0;
  /// Bytes allocated at this moment through allocate().
  virtual std::uint64_t allocated_bytes() const = 0;
};

}  // namespace driftwood::gpu
