#include "gpu/fact_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"

namespace driftwood::gpu {
namespace {

std::string triple(const std::array<std::uint32_t, 3>& v) { return fmt::format("{} x {} x {}", v[0], v[1], v[2]); }

}  // namespace

void check_image(const MemoryDescriptor& descriptor, const DeviceFacts& facts) {
  if (descriptor.kind == StorageKind::Buffer) return;
  const std::string what = fmt::format("An image of kind {}", to_string(descriptor.kind));
  if (!facts.has_images) throw OutOfMemory(what + " cannot be allocated: the device has no images.");
  std::array<std::uint64_t, 3> limit = {1, 1, 1};
  switch (descriptor.kind) {
    case StorageKind::Buffer: return;
    case StorageKind::ImageBuffer: limit[0] = facts.max_image_buffer; break;
    case StorageKind::Texture2D: limit = {facts.max_image_2d[0], facts.max_image_2d[1], 1}; break;
    case StorageKind::Texture3D: limit = {facts.max_image_3d[0], facts.max_image_3d[1], facts.max_image_3d[2]}; break;
    case StorageKind::Texture2DArray:
      limit = {facts.max_image_2d[0], facts.max_image_2d[1], facts.max_image_layers};
      break;
  }
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(coordinate_count(descriptor.kind)); ++axis) {
    if (descriptor.extent[axis] <= limit[axis]) continue;
    throw OutOfMemory(fmt::format("{} has the extent {} along {}; the device's limit is {}.", what,
                                  descriptor.extent[axis], "xyz"[axis], limit[axis]));
  }
}

void check_image_extent(const DeviceFacts& facts, const MemoryDescriptor& descriptor) {
  const auto& extent = descriptor.extent;
  const auto require = [&](std::uint64_t limit, std::uint32_t value, std::string_view what) {
    if (limit == 0) {
      throw Unsupported(fmt::format("The device '{}' has no images of kind {}.", facts.id, to_string(descriptor.kind)));
    }
    if (value == 0) throw InvalidInput(fmt::format("An image of kind {} has {} 0.", to_string(descriptor.kind), what));
    if (value > limit) {
      throw OutOfMemory(fmt::format("An image of kind {} has {} {}; the device '{}' allows {}.",
                                    to_string(descriptor.kind), what, value, facts.id, limit));
    }
  };
  switch (descriptor.kind) {
    case StorageKind::Buffer: break;
    case StorageKind::ImageBuffer: require(facts.max_image_buffer, extent[0], "length"); break;
    case StorageKind::Texture2D:
      require(facts.max_image_2d[0], extent[0], "width");
      require(facts.max_image_2d[1], extent[1], "height");
      break;
    case StorageKind::Texture3D:
      require(facts.max_image_3d[0], extent[0], "width");
      require(facts.max_image_3d[1], extent[1], "height");
      require(facts.max_image_3d[2], extent[2], "depth");
      break;
    case StorageKind::Texture2DArray:
      require(facts.max_image_layers == 0 ? 0 : facts.max_image_2d[0], extent[0], "width");
      require(facts.max_image_2d[1], extent[1], "height");
      require(facts.max_image_layers, extent[2], "number of layers");
      break;
  }
}

std::uint64_t image_bytes(const MemoryDescriptor& descriptor) {
  std::uint64_t bytes = 4 * std::uint64_t{info(descriptor.texel).block_bytes};
  for (int i = 0; i < std::max(1, coordinate_count(descriptor.kind)); ++i) {
    const auto product = checked_multiply(bytes, descriptor.extent[static_cast<std::size_t>(i)]);
    if (!product) throw OutOfMemory("The size of an image exceeds 2^64 bytes.");
    bytes = *product;
  }
  return bytes;
}

void check_allocation(std::uint64_t bytes, std::uint64_t allocated, const DeviceFacts& facts) {
  if (facts.max_allocation != 0 && bytes > facts.max_allocation) {
    throw OutOfMemory(
        fmt::format("An allocation of {} bytes exceeds the device's limit of {}.", bytes, facts.max_allocation));
  }
  if (facts.global_memory != 0 && bytes > facts.global_memory - std::min(allocated, facts.global_memory)) {
    throw OutOfMemory(fmt::format("An allocation of {} bytes does not fit: {} of the device's {} bytes are taken.",
                                  bytes, allocated, facts.global_memory));
  }
}

void check_module(const shader::Module& module, const std::string& name, const DeviceFacts& facts) {
  if (!module.entry_point) throw InvalidInput(fmt::format("The kernel '{}' has no entry point.", name));
  const auto& size = module.entry_point->workgroup_size;
  std::uint64_t lanes = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    lanes *= size[k];
    if (size[k] == 0 || size[k] > facts.max_workgroup_extent[k] || lanes > facts.max_workgroup_size) {
      throw InvalidInput(
          fmt::format("The kernel '{}' has workgroups of {}; the device allows {} and at most {} invocations.", name,
                      triple(size), triple(facts.max_workgroup_extent), facts.max_workgroup_size));
    }
  }
  const auto buffers = std::ranges::count_if(module.resources, [](const auto& resource) {
    const bool is_image = resource->kind == shader::Resource::Kind::Object && resource->storage != StorageKind::Buffer;
    return !is_image && resource->kind != shader::Resource::Kind::Uniform;
  });
  if (facts.max_bindings != 0 && buffers > facts.max_bindings) {
    throw InvalidInput(
        fmt::format("The kernel '{}' binds {} buffers; the device allows {}.", name, buffers, facts.max_bindings));
  }
  const auto need = [&](bool uses, bool has, std::string_view what) {
    if (uses && !has)
      throw Unsupported(fmt::format("The kernel '{}' uses {}, which the device does not have.", name, what));
  };
  need(module.uses_subgroups, facts.has_subgroups, "subgroups");
  need(module.uses_matrices, facts.has_matrices, "the matrices of a subgroup");
  need(module.uses_pipeline, facts.pipeline_memory > 0, "the pipeline of a workgroup");
  need(module.uses_f16, facts.has_f16_arithmetic, "f16 arithmetic");
  for (const auto& resource : module.resources) {
    if (resource->kind != shader::Resource::Kind::Object) continue;
    need(resource->storage != StorageKind::Buffer, facts.has_images, fmt::format("the image '{}'", resource->name));
    if (resource->storage == StorageKind::Texture3D && resource->access != shader::Access::Read &&
        !facts.has_3d_image_writes) {
      throw Unsupported(
          fmt::format("The kernel '{}' writes to the 3D image '{}', which the device cannot.", name, resource->name));
    }
  }
}

std::uint64_t workgroup_bytes(const shader::Module& module) {
  std::uint64_t bytes = 0;
  for (const auto& variable : module.variables) {
    if (variable->space == shader::AddressSpace::Workgroup)
      bytes += 16 * divide_up(std::uint64_t{shader::size_of(variable->type)}, 16);
  }
  return bytes;
}

void check_workgroup_memory(const shader::Module& module, const std::string& name, const DeviceFacts& facts) {
  const std::uint64_t bytes = workgroup_bytes(module);
  const std::uint64_t most = module.uses_pipeline ? facts.pipeline_memory : facts.local_memory;
  if (bytes <= most) return;
  throw OutOfMemory(
      fmt::format("The kernel '{}' uses {} bytes of workgroup memory; the device has {}.", name, bytes, most));
}

void check_grid(const std::array<std::uint32_t, 3>& workgroups, const DeviceFacts& facts) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (workgroups[k] > facts.max_workgroup_count[k]) {
      throw InvalidInput(fmt::format("A grid of {} workgroups exceeds the device's limit of {}.", triple(workgroups),
                                     triple(facts.max_workgroup_count)));
    }
  }
}

}  // namespace driftwood::gpu
