#include "shader/emit_metal.h"

#include "base/error.h"
#include "shader/metal/printer.h"

namespace driftwood::shader {

std::string metal_kernel_name(const Module& module) { return metal::Printer(module, {}).kernel_name(); }

std::string emit_metal(const Module& module, const MetalDialect& dialect) {
  if (module.entry_point == nullptr) throw InternalError("A module without an entry point has nothing to emit.");
  return metal::Printer(module, dialect).print();
}

}  // namespace driftwood::shader
