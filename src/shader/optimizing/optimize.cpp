#include "shader/optimize.h"

#include "base/error.h"

namespace driftwood::shader {

namespace {

void simplify(Module& module) {
  fold_constants(module);
  propagate_lets(module);
  fold_constants(module);
}

}  // namespace

void optimize(Module& module, const TargetTraits& traits) {
  if (module.uses_matrices && !traits.has_matrices) {
    throw Unsupported("The kernel uses the matrices of a subgroup, which the device does not have.");
  }
  if (module.uses_pipeline) {
    keep_staged_memory(module);
    if (!traits.has_pipeline) lower_pipeline(module);
  }
  if (!traits.has_subgroups) lower_subgroups(module);
  simplify(module);
  remove_dead_code(module);
  inline_functions(module);
  simplify(module);
  unroll_loops(module);
  simplify(module);
  replace_arrays(module);
  join_declarations(module);
  simplify(module);
  if (!traits.has_f16_arithmetic) {
    lower_f16(module);
    fold_constants(module);
  }
  remove_dead_code(module);
  join_declarations(module);
  simplify(module);
  remove_dead_code(module);
  order_effects(module);
  find_visible_zeroes(module);
}

}  // namespace driftwood::shader
