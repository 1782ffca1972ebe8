#include "support/metal_cpu/metal_cpu_device.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <string>

#include "base/error.h"
#include "gpu/fact_checks.h"
#include "gpu/signature.h"
#include "shader/emit_metal.h"
#include "support/metal_cpu/clang.h"
#include "support/metal_cpu/memory.h"
#include "support/metal_cpu/program.h"
#include "support/metal_cpu/threadgroups.h"
#include "tensor/layout.h"

namespace driftwood::test {
namespace {

using gpu::Binding;
using gpu::DeviceFacts;
using gpu::Dispatch;
using gpu::Parameter;
using gpu::Signature;

constexpr std::size_t buffer_slots = 31;

// Apple's limits of family 7, from its table of feature sets.
DeviceFacts facts_from(const MetalCpuOptions& options) {
  DeviceFacts facts;
  facts.id = "metal-cpu";
  facts.name = "Metal on the CPU";
  facts.vendor = "Driftwood";
  facts.api = "Metal 3.0";
  facts.driver = Clang::find()->command();
  facts.device_class = gpu::DeviceClass::Software;
  facts.shares_host_memory = true;
  facts.max_workgroup_size = 1024;
  facts.max_workgroup_extent = {1024, 1024, 1024};
  constexpr std::uint32_t any = std::numeric_limits<std::int32_t>::max();
  facts.max_workgroup_count = {any, any, any};
  facts.local_memory = 32 << 10;
  facts.global_memory = std::uint64_t{64} << 30;
  facts.max_allocation = std::uint64_t{1} << 32;
  facts.max_bindings = shader::metal_lengths_buffer;
  facts.buffer_alignment = 32;
  facts.has_images = true;
  facts.has_3d_image_writes = true;
  facts.max_image_buffer = std::uint64_t{1} << 28;
  facts.max_image_2d = {16384, 16384};
  facts.max_image_3d = {2048, 2048, 2048};
  facts.max_image_layers = 2048;
  facts.has_f16_arithmetic = true;
  facts.has_subgroups = options.has_simdgroups;
  facts.subgroup_size = options.has_simdgroups ? metal_cpu::simd_width : 1;
  facts.has_matrices = options.has_simdgroups && options.has_matrices;
  return facts;
}

metal_cpu::Texel texel_of(DataType type) {
  switch (type) {
    case DataType::F32: return metal_cpu::Texel::F32;
    case DataType::F16: return metal_cpu::Texel::F16;
    case DataType::I8: return metal_cpu::Texel::I8;
    case DataType::U8: return metal_cpu::Texel::U8;
    case DataType::I32: return metal_cpu::Texel::I32;
    case DataType::U32: return metal_cpu::Texel::U32;
    default: throw InvalidInput("Textures hold no texels of type " + std::string(to_string(type)) + ".");
  }
}

class MetalCpuKernel final : public gpu::Kernel {
 public:
  MetalCpuKernel(AllocatedBytes device, std::shared_ptr<MetalCpuProgram> program, std::string name, Signature signature)
      : device_(std::move(device)),
        program_(std::move(program)),
        name_(std::move(name)),
        signature_(std::move(signature)) {}

  const std::string& name() const override { return name_; }
  std::uint32_t max_workgroup_size() const override { return 1024; }
  std::array<std::uint32_t, 3> workgroup_size() const override { return signature_.workgroup_size; }
  bool belongs_to(const AllocatedBytes& device) const { return device_ == device; }
  const Signature& signature() const { return signature_; }
  MetalCpuProgram& program() const { return *program_; }

 private:
  AllocatedBytes device_;
  std::shared_ptr<MetalCpuProgram> program_;
  std::string name_;
  Signature signature_;
};

// A dispatch with its arguments as the kernel takes them.
struct Command {
  Dispatch dispatch;
  std::shared_ptr<MetalCpuKernel> kernel;
  std::vector<void*> buffers = std::vector<void*>(buffer_slots, nullptr);
  std::vector<metal_cpu::Texture> textures;
  std::vector<const metal_cpu::Texture*> texture_slots;
  std::vector<std::uint32_t> lengths;
  std::vector<const MetalCpuMemory*> written;

  bool is_skipped() const {
    const auto& groups = dispatch.workgroups;
    return groups[0] == 0 || groups[1] == 0 || groups[2] == 0;
  }
};

const MetalCpuMemory& own(const gpu::Memory& memory, const AllocatedBytes& device) {
  const auto* mine = dynamic_cast<const MetalCpuMemory*>(&memory);
  if (!mine || !mine->belongs_to(device)) throw InvalidInput("The memory belongs to another device than 'metal-cpu'.");
  return *mine;
}

std::uint64_t bind_buffer(Command& command, std::size_t slot, const Binding& binding, const MetalCpuMemory& memory,
                          const Parameter& parameter, const DeviceFacts& facts) {
  const std::string where = "The binding '" + parameter.name + "' ";
  if (!memory.is_buffer()) throw InvalidInput(where + "is a texture; the kernel uses a buffer.");
  if (binding.offset % facts.buffer_alignment != 0) {
    throw InvalidInput(where + "has offset " + std::to_string(binding.offset) + "; the device needs a multiple of " +
                       std::to_string(facts.buffer_alignment) + ".");
  }
  if (binding.offset >= memory.bytes() || binding.size > memory.bytes() - binding.offset) {
    throw InvalidInput(where + "takes " + std::to_string(binding.size) + " bytes from offset " +
                       std::to_string(binding.offset) + " of a buffer of " + std::to_string(memory.bytes()) +
                       " bytes.");
  }
  const std::uint64_t size = binding.size == 0 ? memory.bytes() - binding.offset : binding.size;
  std::byte* address = memory.data() + binding.offset;
  std::uint64_t needed = parameter.min_bytes;
  if (parameter.kind == StorageKind::ImageBuffer) {
    needed = std::uint64_t{4} * info(parameter.texel).block_bytes * parameter.extent[0];
    command.textures[slot] = {address, texel_of(parameter.texel), {parameter.extent[0], 1, 1}};
  } else {
    command.buffers[slot] = address;
  }
  if (size < needed) {
    throw InvalidInput(where + "holds " + std::to_string(size) + " bytes; the kernel uses " + std::to_string(needed) +
                       ".");
  }
  return size;
}

void bind_texture(Command& command, std::size_t slot, const Binding& binding, const MetalCpuMemory& memory,
                  const Parameter& parameter) {
  const gpu::MemoryDescriptor& have = memory.descriptor();
  bool fits = have.kind == parameter.kind && have.texel == parameter.texel && binding.offset == 0;
  for (std::size_t k = 0; k < 3; ++k) fits = fits && have.extent[k] >= parameter.extent[k];
  if (!fits) {
    throw InvalidInput("The binding '" + parameter.name + "' is a " + std::string(to_string(have.kind)) + " of " +
                       std::string(to_string(have.texel)) + " that does not fit the kernel's " +
                       std::string(to_string(parameter.kind)) + " of " + std::string(to_string(parameter.texel)) + ".");
  }
  command.textures[slot] = {memory.data(), texel_of(have.texel), {have.extent[0], have.extent[1], have.extent[2]}};
}

void bind(Command& command, const AllocatedBytes& device, const DeviceFacts& facts) {
  command.kernel = std::dynamic_pointer_cast<MetalCpuKernel>(command.dispatch.kernel);
  if (!command.kernel || !command.kernel->belongs_to(device)) {
    throw InvalidInput("A dispatch has no kernel of the device 'metal-cpu'.");
  }
  const Signature& signature = command.kernel->signature();
  const std::vector<Binding>& bindings = command.dispatch.bindings;
  if (bindings.size() != signature.parameters.size()) {
    throw InvalidInput("The kernel '" + command.kernel->name() + "' takes " +
                       std::to_string(signature.parameters.size()) + " bindings; the dispatch has " +
                       std::to_string(bindings.size()) + ".");
  }
  command.textures.resize(bindings.size());
  std::vector<std::uint64_t> sizes(bindings.size());
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const Parameter& parameter = signature.parameters[i];
    if (!bindings[i].memory) throw InvalidInput("Nothing is bound to '" + parameter.name + "'.");
    const MetalCpuMemory& memory = own(*bindings[i].memory, device);
    if (parameter.kind == StorageKind::Buffer || parameter.kind == StorageKind::ImageBuffer) {
      sizes[i] = bind_buffer(command, i, bindings[i], memory, parameter, facts);
    } else {
      bind_texture(command, i, bindings[i], memory, parameter);
    }
    if (parameter.writes) command.written.push_back(&memory);
  }
  for (const gpu::LengthArgument& length : signature.lengths) {
    const std::uint64_t bytes = sizes[length.parameter];
    command.lengths.push_back(
        static_cast<std::uint32_t>(bytes < length.offset ? 0 : (bytes - length.offset) / length.stride));
  }
  command.buffers[shader::metal_lengths_buffer] = command.lengths.data();
  for (const metal_cpu::Texture& texture : command.textures) command.texture_slots.push_back(&texture);
}

class MetalCpuRecording final : public gpu::Recording {
 public:
  MetalCpuRecording(AllocatedBytes device, std::vector<Dispatch> dispatches, const DeviceFacts& facts)
      : device_(std::move(device)), facts_(facts) {
    for (std::size_t i = 0; i < dispatches.size(); ++i) {
      commands_.push_back(std::make_unique<Command>());
      Dispatch& dispatch = commands_.back()->dispatch;
      dispatch = std::move(dispatches[i]);
      try {
        bind(*commands_.back(), device_, facts_);
        set_workgroups(i, dispatch.workgroups);
      } catch (Error& error) {
        const std::string name = dispatch.kernel ? dispatch.kernel->name() : "no kernel";
        error.add_context("While recording dispatch " + std::to_string(i) + " (" +
                          (dispatch.label.empty() ? name : dispatch.label) + ").");
        throw;
      }
    }
  }
  std::size_t size() const override { return commands_.size(); }
  void set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) override {
    if (dispatch >= commands_.size()) {
      throw InvalidInput("Dispatch " + std::to_string(dispatch) + " is asked for in a recording of " +
                         std::to_string(commands_.size()) + ".");
    }
    gpu::check_grid(workgroups, facts_);
    commands_[dispatch]->dispatch.workgroups = workgroups;
  }
  bool belongs_to(const AllocatedBytes& device) const { return device_ == device; }
  const std::vector<std::unique_ptr<Command>>& commands() const { return commands_; }

 private:
  AllocatedBytes device_;
  DeviceFacts facts_;
  std::vector<std::unique_ptr<Command>> commands_;
};

class MetalCpuDevice final : public gpu::Device {
 public:
  explicit MetalCpuDevice(const MetalCpuOptions& options)
      : facts_(facts_from(options)),
        dialect_{.simdgroups = facts_.has_subgroups, .simdgroup_matrices = facts_.has_matrices} {}

  const DeviceFacts& facts() const override { return facts_; }

  std::shared_ptr<gpu::Memory> allocate(const gpu::MemoryDescriptor& descriptor) override {
    check_image(descriptor);
    const std::uint64_t bytes = MetalCpuMemory::bytes_of(descriptor);
    if (bytes > facts_.max_allocation || bytes > facts_.global_memory - *allocated_) {
      throw OutOfMemory("An allocation of " + std::to_string(bytes) + " bytes exceeds the " +
                        std::to_string(facts_.max_allocation) + " bytes that the device 'metal-cpu' allows for one.");
    }
    return std::make_shared<MetalCpuMemory>(descriptor, allocated_);
  }

  void write(gpu::Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) override {
    check_range(own(memory), offset, bytes.size());
    if (!bytes.empty()) std::memcpy(own(memory).data() + offset, bytes.data(), bytes.size());
  }
  void read(const gpu::Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) override {
    check_range(own(memory), offset, bytes.size());
    if (!bytes.empty()) std::memcpy(bytes.data(), own(memory).data() + offset, bytes.size());
  }
  void fill_zero(gpu::Memory& memory, std::uint64_t offset, std::uint64_t size) override {
    check_range(own(memory), offset, size);
    std::memset(own(memory).data() + offset, 0, size);
  }

  std::shared_ptr<gpu::Kernel> compile(const shader::Module& module, const std::string& name) override {
    Signature signature = gpu::signature_of(module);
    const auto& size = signature.workgroup_size;
    const std::uint64_t threads = std::uint64_t{size[0]} * size[1] * size[2];
    if (threads == 0 || threads > facts_.max_workgroup_size) {
      throw InvalidInput("The kernel '" + name + "' asks for a workgroup of " + std::to_string(threads) +
                         " invocations; the device 'metal-cpu' allows " + std::to_string(facts_.max_workgroup_size) +
                         ".");
    }
    if (signature.parameters.size() > facts_.max_bindings) {
      throw InvalidInput("The kernel '" + name + "' takes " + std::to_string(signature.parameters.size()) +
                         " bindings; the device 'metal-cpu' allows " + std::to_string(facts_.max_bindings) + ".");
    }
    const std::string source = shader::emit_metal(module, dialect_);
    std::shared_ptr<MetalCpuProgram> program = programs_[source].lock();
    if (!program) {
      program = std::make_shared<MetalCpuProgram>(source, shader::metal_kernel_name(module));
      programs_[source] = program;
    }
    if (program->program().shared_bytes > facts_.local_memory) {
      throw OutOfMemory("The kernel '" + name + "' uses " + std::to_string(program->program().shared_bytes) +
                        " bytes of threadgroup memory; the device 'metal-cpu' has " +
                        std::to_string(facts_.local_memory) + ".");
    }
    return std::make_shared<MetalCpuKernel>(allocated_, std::move(program), name, std::move(signature));
  }

  std::unique_ptr<gpu::Recording> record(std::vector<Dispatch> dispatches) override {
    return std::make_unique<MetalCpuRecording>(allocated_, std::move(dispatches), facts_);
  }

  void submit(gpu::Recording& recording) override {
    for (const auto& command : own(recording).commands()) run(*command);
  }

  std::vector<double> submit_profiled(gpu::Recording& recording) override {
    std::vector<double> nanoseconds;
    for (const auto& command : own(recording).commands()) {
      if (command->is_skipped()) {
        nanoseconds.push_back(0.0);
        continue;
      }
      const auto start = std::chrono::steady_clock::now();
      run(*command);
      nanoseconds.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
    }
    return nanoseconds;
  }

  void finish() override {}
  std::uint64_t allocated_bytes() const override { return *allocated_; }

 private:
  MetalCpuRecording& own(gpu::Recording& recording) const {
    auto* mine = dynamic_cast<MetalCpuRecording*>(&recording);
    if (!mine || !mine->belongs_to(allocated_))
      throw InvalidInput("The recording belongs to another device than 'metal-cpu'.");
    return *mine;
  }
  const MetalCpuMemory& own(const gpu::Memory& memory) const { return test::own(memory, allocated_); }

  static void check_range(const MetalCpuMemory& memory, std::uint64_t offset, std::uint64_t size) {
    if (!memory.is_buffer() && (offset != 0 || size != memory.bytes())) {
      throw InvalidInput("A texture is copied whole: " + std::to_string(memory.bytes()) + " bytes at 0, not " +
                         std::to_string(size) + " at " + std::to_string(offset) + ".");
    }
    if (offset > memory.bytes() || size > memory.bytes() - offset) {
      throw InvalidInput("The range of " + std::to_string(size) + " bytes at " + std::to_string(offset) +
                         " passes the end of a buffer of " + std::to_string(memory.bytes()) + " bytes.");
    }
  }

  void check_image(const gpu::MemoryDescriptor& descriptor) const {
    std::array<std::uint64_t, 3> limit = {1, 1, 1};
    const auto& plane = facts_.max_image_2d;
    switch (descriptor.kind) {
      case StorageKind::Buffer: return;
      case StorageKind::ImageBuffer: limit[0] = facts_.max_image_buffer; break;
      case StorageKind::Texture2D: limit = {plane[0], plane[1], 1}; break;
      case StorageKind::Texture3D: std::copy_n(facts_.max_image_3d.begin(), 3, limit.begin()); break;
      case StorageKind::Texture2DArray: limit = {plane[0], plane[1], facts_.max_image_layers}; break;
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(coordinate_count(descriptor.kind)); ++k) {
      if (descriptor.extent[k] <= limit[k]) continue;
      throw OutOfMemory("A texture of kind " + std::string(to_string(descriptor.kind)) + " has the extent " +
                        std::to_string(descriptor.extent[k]) + "; the device 'metal-cpu' allows " +
                        std::to_string(limit[k]) + ".");
    }
  }

  void run(Command& command) {
    const std::string& label = command.dispatch.label.empty() ? command.kernel->name() : command.dispatch.label;
    MetalCpuProgram& program = command.kernel->program();
    program.set_runtime(threadgroups_.runtime());
    threadgroups_.run(program.program(), {command.buffers.data(), command.texture_slots.data()},
                      command.kernel->workgroup_size(), command.dispatch.workgroups,
                      "The Metal kernel '" + label + "'");
    for (const MetalCpuMemory* memory : command.written) {
      if (memory->is_overrun()) {
        throw InternalError("The Metal kernel '" + label + "' writes before or behind a buffer of " +
                            std::to_string(memory->bytes()) + " bytes.");
      }
    }
  }

  DeviceFacts facts_;
  shader::MetalDialect dialect_;
  Threadgroups threadgroups_;
  AllocatedBytes allocated_ = std::make_shared<std::uint64_t>(0);
  std::map<std::string, std::weak_ptr<MetalCpuProgram>> programs_;
};

}  // namespace

std::unique_ptr<gpu::Device> make_metal_cpu_device(const MetalCpuOptions& options) {
  if (!Clang::find()) throw Unsupported(Clang::why_not());
  return std::make_unique<MetalCpuDevice>(options);
}

}  // namespace driftwood::test
