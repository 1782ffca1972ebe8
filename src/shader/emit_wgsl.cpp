#include "shader/emit_wgsl.h"

#include "base/error.h"
#include "shader/ir_clone.h"
#include "shader/optimize.h"
#include "shader/wgsl/printer.h"

namespace driftwood::shader {

std::string wgsl_kernel_name(const Module& module) { return wgsl::Printer(module, {}, {}).kernel_name(); }

std::string emit_wgsl(const Module& module, const WgslDialect& dialect, const WgslBindings& bindings) {
  if (module.entry_point == nullptr) throw InternalError("A module without an entry point has nothing to emit.");
  if (!has_component_stores(module)) return wgsl::Printer(module, dialect, bindings).print();
  Module scalars = clone(module);
  use_scalar_arrays(scalars);
  return wgsl::Printer(scalars, dialect, bindings).print();
}

}  // namespace driftwood::shader
