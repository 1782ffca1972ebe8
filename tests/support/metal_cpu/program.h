// A Metal kernel as a function of the CPU.
#pragma once

#include <string>

#include "support/metal_cpu/include/metal_cpu/abi.h"

namespace driftwood::test {

class MetalCpuProgram {
 public:
  /// Compiles the kernel `kernel` of `source` (Metal Shading Language) and loads it. Throws InternalError where it does
  /// not compile or a parameter has an attribute that is not known here. Clang::find() must give a compiler.
  MetalCpuProgram(const std::string& source, const std::string& kernel);
  ~MetalCpuProgram();
  MetalCpuProgram(const MetalCpuProgram&) = delete;
  MetalCpuProgram& operator=(const MetalCpuProgram&) = delete;

  const metal_cpu::Program& program() const { return program_; }
  /// What the kernel calls when it runs.
  void set_runtime(metal_cpu::Runtime* runtime) { set_runtime_(runtime); }

 private:
  void* library_ = nullptr;
  void (*set_runtime_)(metal_cpu::Runtime*) = nullptr;
  metal_cpu::Program program_ = {};
};

/// The kernel with what C++ needs: threadgroup variables marked as shared, and behind it a function that calls it.
std::string metal_as_cpp(const std::string& source, const std::string& kernel);

}  // namespace driftwood::test
