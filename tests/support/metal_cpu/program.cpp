#include "support/metal_cpu/program.h"

#include <dlfcn.h>

#include "base/error.h"
#include "support/metal_cpu/clang.h"

namespace driftwood::test {

MetalCpuProgram::MetalCpuProgram(const std::string& source, const std::string& kernel) {
  const Clang* clang = Clang::find();
  if (!clang) throw Unsupported(Clang::why_not());
  const auto path = clang->compile(metal_as_cpp(source, kernel), kernel);
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) throw InternalError("The compiled kernel '" + kernel + "' does not load: " + std::string(dlerror()));
  const auto describe = reinterpret_cast<metal_cpu::Program (*)()>(dlsym(library_, "metal_cpu_describe"));
  set_runtime_ = reinterpret_cast<void (*)(metal_cpu::Runtime*)>(dlsym(library_, "metal_cpu_set_runtime"));
  if (!describe || !set_runtime_) {
    dlclose(library_);
    throw InternalError("The compiled kernel '" + kernel + "' lacks its functions.");
  }
  program_ = describe();
}

MetalCpuProgram::~MetalCpuProgram() { dlclose(library_); }

}  // namespace driftwood::test
