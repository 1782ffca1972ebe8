#include "gpu/reference/reference_device.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/error.h"
#include "gpu/fact_checks.h"
#include "gpu/reference/reference_memory.h"
#include "shader/interpreter/interpreter.h"

namespace driftwood::gpu {
namespace {

DeviceFacts facts_from(const ReferenceOptions& options) {
  DeviceFacts facts;
  facts.id = "reference";
  facts.name = "Driftwood reference interpreter";
  facts.vendor = "Driftwood";
  facts.api = "interpreter";
  facts.driver = "1";
  facts.device_class = DeviceClass::Reference;
  facts.is_cpu = options.is_cpu;
  facts.shares_host_memory = true;
  facts.compute_units = 1;
  facts.max_workgroup_size = options.max_workgroup_size;
  facts.max_workgroup_extent = options.max_workgroup_extent;
  facts.max_workgroup_count = options.max_workgroup_count;
  facts.local_memory = options.local_memory;
  facts.global_memory = options.global_memory;
  facts.max_allocation = options.max_allocation;
  facts.buffer_alignment = options.buffer_alignment;
  facts.has_images = options.has_images;
  if (options.has_images) {
    facts.has_3d_image_writes = options.has_3d_image_writes;
    facts.max_image_buffer = options.max_image_buffer;
    facts.max_image_2d = options.max_image_2d;
    facts.max_image_3d = options.max_image_3d;
    facts.max_image_layers = options.max_image_layers;
  }
  facts.has_f16_arithmetic = options.has_f16_arithmetic;
  facts.has_subgroups = options.subgroup_size > 0;
  facts.subgroup_size = options.subgroup_size > 0 ? options.subgroup_size : 1;
  facts.has_packed_dot = options.has_packed_dot;
  facts.has_wide_dot = options.has_wide_dot;
  facts.has_matrices = options.has_matrices && options.subgroup_size == shader::matrix_subgroup_size;
  facts.pipeline_memory = options.pipeline_memory;
  return facts;
}

std::string triple(const std::array<std::uint32_t, 3>& v) {
  return std::to_string(v[0]) + " x " + std::to_string(v[1]) + " x " + std::to_string(v[2]);
}

class ReferenceKernel final : public Kernel {
 public:
  ReferenceKernel(AllocationCounter device, std::string name, std::uint32_t max_size, const shader::Module& module,
                  const shader::InterpreterOptions& options)
      : device_(std::move(device)), name_(std::move(name)), max_size_(max_size), executable_(module, options) {}

  const std::string& name() const override { return name_; }
  std::uint32_t max_workgroup_size() const override { return max_size_; }
  std::array<std::uint32_t, 3> workgroup_size() const override { return executable_.workgroup_size(); }
  bool belongs_to(const AllocationCounter& device) const { return device_ == device; }
  const shader::Executable& executable() const { return executable_; }

 private:
  AllocationCounter device_;
  std::string name_;
  std::uint32_t max_size_;
  shader::Executable executable_;
};

struct PreparedDispatch {
  std::shared_ptr<ReferenceKernel> kernel;
  std::vector<std::shared_ptr<Memory>> kept;  // alive as long as the recording
  std::vector<shader::BoundMemory> bindings;
  std::array<std::uint32_t, 3> workgroups;
  std::string label;

  bool is_skipped() const { return workgroups[0] == 0 || workgroups[1] == 0 || workgroups[2] == 0; }
};

class ReferenceRecording final : public Recording {
 public:
  ReferenceRecording(AllocationCounter device, std::vector<PreparedDispatch> dispatches, const DeviceFacts& facts)
      : device_(std::move(device)), dispatches_(std::move(dispatches)), facts_(facts) {}

  std::size_t size() const override { return dispatches_.size(); }
  void set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) override {
    if (dispatch >= dispatches_.size()) {
      throw InvalidInput("There is no dispatch " + std::to_string(dispatch) + "; the recording has " +
                         std::to_string(dispatches_.size()) + ".");
    }
    check_grid(workgroups, facts_);
    dispatches_[dispatch].workgroups = workgroups;
  }
  bool belongs_to(const AllocationCounter& device) const { return device_ == device; }
  std::vector<PreparedDispatch>& dispatches() { return dispatches_; }

 private:
  AllocationCounter device_;
  std::vector<PreparedDispatch> dispatches_;
  DeviceFacts facts_;
};

class ReferenceDevice final : public Device {
 public:
  explicit ReferenceDevice(const ReferenceOptions& options)
      : facts_(facts_from(options)),
        options_(options.interpreter),
        max_kernel_size_(options.max_kernel_workgroup_size) {
    options_.subgroup_size = facts_.subgroup_size;
  }

  const DeviceFacts& facts() const override { return facts_; }

  std::shared_ptr<Memory> allocate(const MemoryDescriptor& descriptor) override {
    const std::uint64_t bytes = bytes_of(descriptor);
    check_image(descriptor, facts_);
    check_allocation(bytes, *allocated_, facts_);
    return std::make_shared<ReferenceMemory>(descriptor, allocated_);
  }

  void write(Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) override {
    auto& own = own_memory(memory);
    check_range(own, offset, bytes.size());
    own.bytes().write(offset, bytes);
  }

  void read(const Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) override {
    const auto& own = own_memory(memory);
    check_range(own, offset, bytes.size());
    std::copy_n(own.bytes().data() + offset, bytes.size(), bytes.data());
  }

  void fill_zero(Memory& memory, std::uint64_t offset, std::uint64_t size) override {
    auto& own = own_memory(memory);
    check_range(own, offset, size);
    own.bytes().fill_zero(offset, size);
  }

  std::shared_ptr<Kernel> compile(const shader::Module& module, const std::string& name) override {
    check_module(module, name, facts_);
    check_workgroup_memory(module, name, facts_);
    return std::make_shared<ReferenceKernel>(allocated_, name, std::min(facts_.max_workgroup_size, max_kernel_size_),
                                             module, options_);
  }

  std::unique_ptr<Recording> record(std::vector<Dispatch> dispatches) override {
    std::vector<PreparedDispatch> prepared;
    for (Dispatch& dispatch : dispatches) {
      try {
        prepared.push_back(prepare(dispatch));
      } catch (Error& error) {
        const std::string name = dispatch.kernel ? dispatch.kernel->name() : "no kernel";
        error.add_context("While recording dispatch " + std::to_string(prepared.size()) + " (" +
                          (dispatch.label.empty() ? name : dispatch.label) + ").");
        throw;
      }
    }
    return std::make_unique<ReferenceRecording>(allocated_, std::move(prepared), facts_);
  }

  void submit(Recording& recording) override {
    for (PreparedDispatch& dispatch : own_recording(recording).dispatches()) run(dispatch);
  }

  std::vector<double> submit_profiled(Recording& recording) override {
    std::vector<double> nanoseconds;
    for (PreparedDispatch& dispatch : own_recording(recording).dispatches()) {
      if (dispatch.is_skipped()) {
        nanoseconds.push_back(0.0);
        continue;
      }
      const auto start = std::chrono::steady_clock::now();
      run(dispatch);
      nanoseconds.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
    }
    return nanoseconds;
  }

  void finish() override {}
  std::uint64_t allocated_bytes() const override { return *allocated_; }

 private:
  const ReferenceMemory& own_memory(const Memory& memory) const {
    const auto* own = dynamic_cast<const ReferenceMemory*>(&memory);
    if (!own || !own->belongs_to(allocated_)) {
      throw InvalidInput("The memory belongs to another device than the reference device.");
    }
    return *own;
  }
  ReferenceMemory& own_memory(Memory& memory) const {
    return const_cast<ReferenceMemory&>(own_memory(static_cast<const Memory&>(memory)));
  }
  ReferenceRecording& own_recording(Recording& recording) const {
    auto* own = dynamic_cast<ReferenceRecording*>(&recording);
    if (!own || !own->belongs_to(allocated_))
      throw InvalidInput("The recording belongs to another device than the reference device.");
    return *own;
  }

  static void check_range(const ReferenceMemory& memory, std::uint64_t offset, std::uint64_t size) {
    const std::uint64_t total = memory.bytes().size();
    if (memory.descriptor().kind != StorageKind::Buffer && (offset != 0 || size != total)) {
      throw InvalidInput("An image is copied whole: " + std::to_string(total) + " bytes at 0, not " +
                         std::to_string(size) + " at " + std::to_string(offset) + ".");
    }
    if (offset > total || size > total - offset) {
      throw InvalidInput("The range of " + std::to_string(size) + " bytes at " + std::to_string(offset) +
                         " passes the end of a buffer of " + std::to_string(total) + " bytes.");
    }
  }

  PreparedDispatch prepare(Dispatch& dispatch) const {
    PreparedDispatch prepared;
    prepared.kernel = std::dynamic_pointer_cast<ReferenceKernel>(dispatch.kernel);
    if (!prepared.kernel || !prepared.kernel->belongs_to(allocated_)) {
      throw InvalidInput("A dispatch has no kernel of the reference device.");
    }
    const auto& resources = prepared.kernel->executable().resources();
    const std::string& name = prepared.kernel->name();
    if (dispatch.bindings.size() != resources.size()) {
      throw InvalidInput("The kernel '" + name + "' takes " + std::to_string(resources.size()) +
                         " bindings and is given " + std::to_string(dispatch.bindings.size()) + ".");
    }
    for (std::size_t k = 0; k < resources.size(); ++k) {
      prepared.bindings.push_back(bind(dispatch.bindings[k], resources[k], name));
      prepared.kept.push_back(dispatch.bindings[k].memory);
    }
    check_grid(dispatch.workgroups, facts_);
    prepared.workgroups = dispatch.workgroups;
    prepared.label = std::move(dispatch.label);
    return prepared;
  }

  shader::BoundMemory bind(const Binding& binding, const shader::ExecutableResource& resource,
                           const std::string& kernel) const {
    const std::string where = "'" + resource.name + "' of the kernel '" + kernel + "'";
    if (!binding.memory) throw InvalidInput("Nothing is bound to " + where + ".");
    ReferenceMemory& memory = own_memory(*binding.memory);
    const MemoryDescriptor& descriptor = memory.descriptor();
    const StorageKind wanted = resource.is_object ? resource.storage : StorageKind::Buffer;
    if (descriptor.kind != wanted) {
      throw InvalidInput("A memory of kind " + std::string(to_string(descriptor.kind)) + " is bound to " + where +
                         ", which takes one of kind " + std::string(to_string(wanted)) + ".");
    }
    const std::uint64_t total = memory.bytes().size();
    if (wanted != StorageKind::Buffer) {
      if (binding.offset != 0 || (binding.size != 0 && binding.size != total)) {
        throw InvalidInput("A part of an image is bound to " + where + "; images are bound whole.");
      }
      for (int k = 0; k < coordinate_count(wanted); ++k) {
        const auto axis = static_cast<std::size_t>(k);
        if (descriptor.texel == resource.texel && descriptor.extent[axis] == resource.extent[axis]) continue;
        throw InvalidInput("An image of " + triple(descriptor.extent) + " texels of " +
                           std::string(to_string(descriptor.texel)) + " is bound to " + where + ", which takes " +
                           triple(resource.extent) + " of " + std::string(to_string(resource.texel)) + ".");
      }
      return {&memory.bytes(), 0, total};
    }
    if (binding.offset % facts_.buffer_alignment != 0) {
      throw InvalidInput("The offset " + std::to_string(binding.offset) + " of " + where + " is no multiple of " +
                         std::to_string(facts_.buffer_alignment) + ".");
    }
    if (binding.offset >= total || binding.size > total - binding.offset) {
      throw InvalidInput("The range of " + std::to_string(binding.size) + " bytes at " +
                         std::to_string(binding.offset) + " bound to " + where + " passes the end of a buffer of " +
                         std::to_string(total) + " bytes.");
    }
    const std::uint64_t size = binding.size == 0 ? total - binding.offset : binding.size;
    if (size < resource.min_bytes) {
      throw InvalidInput("The " + std::to_string(size) + " bytes bound to " + where + " are less than the " +
                         std::to_string(resource.min_bytes) + " it needs.");
    }
    return {&memory.bytes(), binding.offset, size};
  }

  void run(PreparedDispatch& dispatch) {
    try {
      interpreter_.run(dispatch.kernel->executable(), dispatch.bindings, dispatch.workgroups);
    } catch (Error& error) {
      const std::string& label = dispatch.label.empty() ? dispatch.kernel->name() : dispatch.label;
      error.add_context("While running '" + label + "' on the reference device.");
      throw;
    }
  }

  DeviceFacts facts_;
  shader::InterpreterOptions options_;
  std::uint32_t max_kernel_size_;
  shader::Interpreter interpreter_;
  AllocationCounter allocated_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

}  // namespace

std::unique_ptr<Device> make_reference_device(const ReferenceOptions& options) {
  return std::make_unique<ReferenceDevice>(options);
}

}  // namespace driftwood::gpu
