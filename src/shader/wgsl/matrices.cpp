#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

Code Printer::matrix_builtin(const Expression& expression, const BuiltinCall& node) {
  if (!dialect_.matrices) {
    throw Unsupported("The kernel uses the matrices of a subgroup, which the device does not have.");
  }
  (void)expression;
  return call(std::string(to_string(node.builtin)), node.arguments);
}

}  // namespace driftwood::shader::wgsl
