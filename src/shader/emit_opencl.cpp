#include "shader/emit_opencl.h"

#include "base/error.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader {

std::string opencl_kernel_name(const Module& module) { return opencl::Printer(module, {}).kernel_name(); }

std::string emit_opencl(const Module& module, const OpenClDialect& dialect) {
  if (module.entry_point == nullptr) throw InternalError("A module without an entry point has nothing to emit.");
  return opencl::Printer(module, dialect).print();
}

std::optional<OpenClBody> emit_opencl_body(const Module& module, const OpenClDialect& dialect) {
  if (!opencl::Printer::has_body(module, dialect)) return std::nullopt;
  return opencl::Printer(module, dialect).print_body();
}

}  // namespace driftwood::shader
