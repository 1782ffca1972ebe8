// WebGPU for tests: on a machine without a GPU a Vulkan driver that computes on the CPU, which the product itself never
// takes by surprise.
#pragma once

#include <stdlib.h>

#include <array>
#include <filesystem>
#include <string>

namespace driftwood::test {

/// Where `make` puts the WebGPU libraries and the software Vulkan.
inline std::filesystem::path webgpu_folder() {
  return std::filesystem::path(DRIFTWOOD_SOURCE_DIR) / ".packages" / "webgpu";
}

/// Points Vulkan at the software driver where $VK_DRIVER_FILES names none. To be called before a WebGPU library is
/// first used.
inline void prepare_webgpu() {
  if (getenv("VK_DRIVER_FILES") != nullptr) return;
  const std::array<std::filesystem::path, 3> drivers = {webgpu_folder() / "vk_swiftshader_icd.json",
                                                        "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
                                                        "/usr/share/vulkan/icd.d/lvp_icd.json"};
  for (const std::filesystem::path& driver : drivers) {
    std::error_code error;
    if (!std::filesystem::exists(driver, error)) continue;
    setenv("VK_DRIVER_FILES", driver.c_str(), 1);
    return;
  }
}

}  // namespace driftwood::test
