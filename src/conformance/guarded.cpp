#include "conformance/guarded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "conformance/quantized_cache.h"
#include "graph/lowering.h"
#include "tensor/pack.h"
#include "tensor/storage.h"

namespace driftwood::conformance {
namespace {

constexpr std::byte pattern{0xA5}, poison{0xFF};

// The same object with its padding channels as channels.
TensorDescriptor with_padding(TensorDescriptor descriptor) {
  descriptor.shape.c = 4 * descriptor.shape.slices();
  return descriptor;
}

// A texel more along each axis; of the one axis of an image buffer as many as a workgroup may overshoot.
std::array<std::uint32_t, 3> larger(StorageKind kind, std::array<std::uint32_t, 3> extent) {
  const auto axes = static_cast<std::size_t>(coordinate_count(kind));
  for (std::size_t axis = 0; axis < axes; ++axis) extent[axis] += axes == 1 ? 32 : 1;
  return extent;
}

bool fits(const gpu::DeviceFacts& facts, const gpu::MemoryDescriptor& object) {
  switch (object.kind) {
    case StorageKind::Buffer: return true;
    case StorageKind::ImageBuffer: return object.extent[0] <= facts.max_image_buffer;
    case StorageKind::Texture2D:
      return object.extent[0] <= facts.max_image_2d[0] && object.extent[1] <= facts.max_image_2d[1];
    case StorageKind::Texture3D:
      return object.extent[0] <= facts.max_image_3d[0] && object.extent[1] <= facts.max_image_3d[1] &&
             object.extent[2] <= facts.max_image_3d[2];
    case StorageKind::Texture2DArray:
      return object.extent[0] <= facts.max_image_2d[0] && object.extent[1] <= facts.max_image_2d[1] &&
             object.extent[2] <= facts.max_image_layers;
  }
  return false;
}

}  // namespace

Guarded::Guarded(gpu::Device& device, const graph::Value& value, const Problem& problem)
    : device_(device), value_(value) {
  const gpu::DeviceFacts& facts = device.facts();
  const bool is_buffer = value.is_array || value.descriptor->storage == StorageKind::Buffer;
  std::uint64_t bytes = graph::physical_bytes(value);
  gpu::MemoryDescriptor object{.kind = StorageKind::Buffer};
  if (is_buffer) {
    guard_ = std::max<std::uint64_t>(facts.buffer_alignment, 64);
    extent_[0] = static_cast<std::uint32_t>(bytes);
    bytes += 2 * guard_;
    object_[0] = static_cast<std::uint32_t>(bytes);
    object.bytes = bytes;
  } else {
    object = graph::physical_object(*value.descriptor);
    extent_ = object_ = object.extent;
    texel_ = texel_bytes(object.texel);
    gpu::MemoryDescriptor guarded = object;
    guarded.extent = larger(object.kind, object.extent);
    // The reference device takes images of the very size that the kernel names, and finds writes beside them itself.
    if (facts.device_class != gpu::DeviceClass::Reference && fits(facts, guarded)) {
      object = guarded;
      object_ = object.extent;
    }
    bytes = texel_ * object_[0] * object_[1] * object_[2];
  }
  binding_ = {.memory = device.allocate(object), .offset = guard_, .size = is_buffer ? bytes - 2 * guard_ : 0};
  before_.assign(bytes, pattern);
  std::vector<std::byte> inside;
  if (const auto found = problem.contents.find(value.name); found != problem.contents.end()) {
    inside = pack(*value.descriptor, std::span(found->second))[0];
  }
  if (const auto found = problem.words.find(value.name); found != problem.words.end()) {
    const auto words = std::as_bytes(std::span(found->second));
    inside.assign(words.begin(), words.end());
  }
  for (std::size_t i = 0, next = 0; next < inside.size(); ++i) {
    if (is_tensor(i)) before_[i] = inside[next++];
  }
  device.write(*binding_.memory, 0, before_);
}

bool Guarded::is_tensor(std::size_t byte) const {
  if (guard_ != 0) return byte >= guard_ && byte < before_.size() - guard_;
  const std::size_t texel = byte / texel_;
  return texel % object_[0] < extent_[0] && texel / object_[0] % object_[1] < extent_[1] &&
         texel / object_[0] / object_[1] < extent_[2];
}

std::vector<float> Guarded::before() const { return values(before_); }

std::vector<float> Guarded::after(std::string& fault) const {
  std::vector<std::byte> whole(before_.size());
  device_.read(*binding_.memory, 0, whole);
  for (std::size_t i = 0; i < whole.size() && fault.empty(); ++i) {
    if (whole[i] == pattern || is_tensor(i)) continue;
    const std::size_t texel = i / texel_;
    fault = guard_ != 0 ? fmt::format("byte {} beside '{}' is written",
                                      static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(guard_), value_.name)
                        : fmt::format("texel {}, {}, {} beside '{}' is written", texel % object_[0],
                                      texel / object_[0] % object_[1], texel / object_[0] / object_[1], value_.name);
  }
  return values(whole);
}

std::vector<float> Guarded::values(const std::vector<std::byte>& whole) const {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (is_tensor(i)) bytes.push_back(whole[i]);
  }
  if (!value_.is_array) return unpack<float>(with_padding(*value_.descriptor), std::span(&bytes, 1));
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return dequantized_rows(value_.shape.c, words, 4 * value_.shape.slices());
}

std::shared_ptr<gpu::Memory> PoisonedDevice::allocate(const gpu::MemoryDescriptor& descriptor) {
  std::shared_ptr<gpu::Memory> memory = AmendedDevice::allocate(descriptor);
  if (facts().device_class == gpu::DeviceClass::Reference) return memory;
  std::uint64_t bytes = descriptor.bytes;
  if (descriptor.kind != StorageKind::Buffer) {
    bytes = std::uint64_t{texel_bytes(descriptor.texel)} * descriptor.extent[0] * descriptor.extent[1] *
            descriptor.extent[2];
  }
  AmendedDevice::write(*memory, 0, std::vector<std::byte>(bytes, poison));
  return memory;
}

std::unique_ptr<gpu::Recording> PoisonedDevice::record(std::vector<gpu::Dispatch> dispatches) {
  if (is_idle_) {
    for (gpu::Dispatch& dispatch : dispatches) dispatch.workgroups = {0, 1, 1};
  }
  return AmendedDevice::record(std::move(dispatches));
}

}  // namespace driftwood::conformance
