// The WebGPU devices of tests, one of each library, and kernels from WGSL.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device_work.h"
#include "gpu/webgpu/webgpu_device.h"
#include "support/webgpu.h"

namespace driftwood::gpu::webgpu::test {

inline const Enumeration& found() {
  static const Enumeration result = [] {
    driftwood::test::prepare_webgpu();
    return enumerate();
  }();
  return result;
}

/// The first device of the library's kind, opened once for the process; null where there is none.
inline WebGpuDevice* first_device(Library::Kind kind) {
  static auto& opened = *new std::vector<std::pair<Library::Kind, std::unique_ptr<WebGpuDevice>>>;
  for (const auto& [known, device] : opened) {
    if (known == kind) return device.get();
  }
  for (const FoundDevice& device : found().devices) {
    if (device.instance->library().kind != kind) continue;
    opened.emplace_back(kind, std::make_unique<WebGpuDevice>(device));
    return opened.back().second.get();
  }
  return nullptr;
}

/// A test that runs on Dawn and on wgpu-native.
class WebGpuTest : public testing::TestWithParam<Library::Kind>, public driftwood::test::DeviceWork {
 protected:
  void SetUp() override {
    if (first_device(GetParam()) == nullptr) GTEST_SKIP() << "This machine has no such WebGPU device.";
  }
  WebGpuDevice& device() override { return *first_device(GetParam()); }
  /// A kernel named `run` over `parameters`.
  std::shared_ptr<WebGpuKernel> kernel(const std::string& source, std::vector<Parameter> parameters) {
    return device().compile_source(source, "run", "test kernel", {std::move(parameters), {}, {1, 1, 1}});
  }
};

inline std::string kind_name(const testing::TestParamInfo<Library::Kind>& info) {
  return info.param == Library::Kind::Dawn ? "Dawn" : "WgpuNative";
}
#define DRIFTWOOD_WEBGPU_SUITE(suite) \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::Values(Library::Kind::Dawn, Library::Kind::WgpuNative), kind_name)

/// A buffer parameter of a test kernel.
inline Parameter buffer_parameter(std::string name, bool writes) { return {.name = std::move(name), .writes = writes}; }

}  // namespace driftwood::gpu::webgpu::test
