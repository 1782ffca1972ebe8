#include "gpu/limited_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "base/error.h"
#include "gpu/fact_checks.h"

namespace driftwood::gpu {
namespace {

class LimitedRecording final : public Recording {
 public:
  LimitedRecording(std::unique_ptr<Recording> recording, const DeviceFacts& facts)
      : recording_(std::move(recording)), facts_(facts) {}

  std::size_t size() const override { return recording_->size(); }
  void set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) override {
    check_grid(workgroups, facts_);
    recording_->set_workgroups(dispatch, workgroups);
  }
  Recording& below() { return *recording_; }

 private:
  std::unique_ptr<Recording> recording_;
  DeviceFacts facts_;
};

Recording& below(Recording& recording) {
  auto* limited = dynamic_cast<LimitedRecording*>(&recording);
  if (limited == nullptr) throw InvalidInput("A recording of another device is submitted.");
  return limited->below();
}

std::uint64_t bytes_of(const MemoryDescriptor& descriptor) {
  if (descriptor.kind == StorageKind::Buffer) return descriptor.bytes;
  std::uint64_t bytes = std::uint64_t{4} * info(descriptor.texel).block_bytes;
  for (const std::uint32_t extent : descriptor.extent)
    bytes = checked_multiply(bytes, extent).value_or(std::numeric_limits<std::uint64_t>::max());
  return bytes;
}

}  // namespace

LimitedDevice::LimitedDevice(std::shared_ptr<Device> device, const DeviceLimits& limits)
    : device_(std::move(device)), facts_(limited_facts(device_->facts(), limits)) {}

std::shared_ptr<Memory> LimitedDevice::allocate(const MemoryDescriptor& descriptor) {
  check_image(descriptor, facts_);
  check_allocation(bytes_of(descriptor), device_->allocated_bytes(), facts_);
  return device_->allocate(descriptor);
}

void LimitedDevice::write(Memory& memory, std::uint64_t offset, std::span<const std::byte> bytes) {
  device_->write(memory, offset, bytes);
}

void LimitedDevice::read(const Memory& memory, std::uint64_t offset, std::span<std::byte> bytes) {
  device_->read(memory, offset, bytes);
}

void LimitedDevice::fill_zero(Memory& memory, std::uint64_t offset, std::uint64_t size) {
  device_->fill_zero(memory, offset, size);
}

std::shared_ptr<Kernel> LimitedDevice::compile(const shader::Module& module, const std::string& name) {
  check_module(module, name, facts_);
  check_workgroup_memory(module, name, facts_);
  return device_->compile(module, name);
}

void LimitedDevice::check_binding(const Binding& binding, const Dispatch& dispatch) const {
  // What is not bound, or too short, the device below words.
  if (!binding.memory || binding.memory->descriptor().kind != StorageKind::Buffer) return;
  const std::string& kernel = dispatch.kernel ? dispatch.kernel->name() : dispatch.label;
  if (binding.offset % facts_.buffer_alignment != 0) {
    throw InvalidInput(
        fmt::format("The kernel '{}' is given a binding at offset {}; the device '{}' needs a multiple of "
                    "{}.",
                    kernel, binding.offset, facts_.id, facts_.buffer_alignment));
  }
  const std::uint64_t all = binding.memory->descriptor().bytes;
  const std::uint64_t size = binding.size != 0 ? binding.size : all - std::min(binding.offset, all);
  if (facts_.max_binding != 0 && size > facts_.max_binding) {
    throw InvalidInput(fmt::format("The kernel '{}' is given a binding of {} bytes; the device '{}' reaches {}.",
                                   kernel, size, facts_.id, facts_.max_binding));
  }
}

void LimitedDevice::check(const std::vector<Dispatch>& dispatches) const {
  for (const Dispatch& dispatch : dispatches) {
    for (const Binding& binding : dispatch.bindings) check_binding(binding, dispatch);
    check_grid(dispatch.workgroups, facts_);
  }
}

std::unique_ptr<Recording> LimitedDevice::record(std::vector<Dispatch> dispatches) {
  check(dispatches);
  return std::make_unique<LimitedRecording>(device_->record(std::move(dispatches)), facts_);
}

std::unique_ptr<Recording> LimitedDevice::record_joined(std::vector<Dispatch> dispatches) {
  check(dispatches);
  return std::make_unique<LimitedRecording>(device_->record_joined(std::move(dispatches)), facts_);
}

void LimitedDevice::submit(Recording& recording) { device_->submit(below(recording)); }

std::vector<double> LimitedDevice::submit_profiled(Recording& recording) {
  return device_->submit_profiled(below(recording));
}

}  // namespace driftwood::gpu
