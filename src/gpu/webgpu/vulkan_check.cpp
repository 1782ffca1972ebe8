#include "gpu/webgpu/vulkan_check.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>

namespace driftwood::gpu::webgpu {
namespace {

// As vulkan.h has it; what is null asks for nothing in particular.
struct InstanceCreateInfo {
  std::int32_t type = 1;  // VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO
  const void* next = nullptr;
  std::uint32_t flags = 0;
  const void* application = nullptr;
  std::uint32_t layer_count = 0;
  const char* const* layers = nullptr;
  std::uint32_t extension_count = 0;
  const char* const* extensions = nullptr;
};

constexpr std::int32_t incompatible_driver = -9;  // VK_ERROR_INCOMPATIBLE_DRIVER: the loader knows none

}  // namespace

std::string vulkan_fault() {
  void* const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return "there is no libvulkan.so.1";
  using Create = std::int32_t (*)(const InstanceCreateInfo*, const void*, void**);
  using Destroy = void (*)(void*, const void*);
  const auto create = reinterpret_cast<Create>(dlsym(library, "vkCreateInstance"));
  const auto destroy = reinterpret_cast<Destroy>(dlsym(library, "vkDestroyInstance"));
  if (create == nullptr || destroy == nullptr) return "libvulkan.so.1 lacks Vulkan's functions";
  const InstanceCreateInfo info;
  void* instance = nullptr;
  const std::int32_t status = create(&info, nullptr, &instance);
  if (status == 0) {
    destroy(instance, nullptr);
    return {};
  }
  if (status == incompatible_driver) return "Vulkan has no driver here";
  return fmt::format("vkCreateInstance gives the status {}", status);
}

}  // namespace driftwood::gpu::webgpu
