// An OpenCL device for tests, with a program cache of their own, and kernels from OpenCL C.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device_work.h"
#include "gpu/opencl/opencl_device.h"

namespace driftwood::gpu::opencl::test {

/// A folder that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "driftwood-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("No temporary folder.");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, error);
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// An environment variable with another value until the object goes.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* old = std::getenv(name_.c_str())) old_ = old;
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (old_) {
      setenv(name_.c_str(), old_->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> old_;
};

/// The first OpenCL device, opened once for the process; null where there is none.
inline OpenClDevice* first_device() {
  static const std::unique_ptr<OpenClDevice> device = []() -> std::unique_ptr<OpenClDevice> {
    const Enumeration found = enumerate();
    if (found.devices.empty()) return nullptr;
    return std::make_unique<OpenClDevice>(found.devices.front());
  }();
  return device.get();
}

class OpenClTest : public testing::Test, public driftwood::test::DeviceWork {
 protected:
  void SetUp() override {
    if (first_device() == nullptr) GTEST_SKIP() << "This machine has no OpenCL device.";
  }
  OpenClDevice& device() override { return *first_device(); }
  /// A kernel named `run` over `parameters`.
  std::shared_ptr<Kernel> kernel(const std::string& source, std::vector<Parameter> parameters) {
    return device().compile_source(source, "run", "test kernel", {std::move(parameters), {}, {1, 1, 1}});
  }
};

/// A buffer parameter of a test kernel.
inline Parameter buffer_parameter(std::string name, std::uint64_t min_bytes = 0) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.min_bytes = min_bytes;
  return parameter;
}

}  // namespace driftwood::gpu::opencl::test
