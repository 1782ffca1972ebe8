// Optimisation of a checked module, and its lowering to what a target can do. Passes are functions on a module, each
// callable alone; optimize() runs them in the order that suits.
//
// Meaning is kept exactly: integers wrap, floats are not reassociated, and what a device computes inexactly (exp, sin)
// is not computed here. Names are kept; variables that a pass adds are named after those they come from.
#pragma once

#include <cstdint>

#include "shader/compile.h"
#include "shader/ir.h"

namespace driftwood::shader {

/// All passes. Run it after virtualize(); running it before as well does no harm.
/// Throws CompileError where a loop marked @unroll has no constant trip count, Unsupported where the kernel uses
/// matrices and the target has none.
void optimize(Module& module, const TargetTraits& traits);

/// Folds operators, conversions, constructors and exact builtins of literals; drops neutral operands; picks components
/// of constructors; keeps only the taken branch of `if`, `switch` and loops whose condition is known.
void fold_constants(Module& module);
void fold_constants(ExpressionPtr& expression);
void fold_constants(Block& block);

/// Replaces lets (and vars that are never changed) that are bound to literals, other immutable names or addresses that
/// stay the same.
void propagate_lets(Module& module);

/// Moves the declaration of a var to its first assignment where nothing in between uses it.
void join_declarations(Module& module);

/// Removes what is computed and never used: variables, functions, module-scope variables and resources. Bindings of the
/// remaining resources are renumbered densely in their order.
void remove_dead_code(Module& module);

/// Replaces loops marked @unroll, and loops of at most one turn, by copies of their bodies.
constexpr std::uint32_t unroll_limit = 1024;  // turns of one loop
void unroll_loops(Module& module);

/// Local arrays of at most this many elements that are only indexed by constants become variables, one an element.
constexpr std::uint32_t scalar_replacement_limit = 64;
void replace_arrays(Module& module);

/// Puts the body of a function where it is called: always for functions that take pointers or return arrays where their
/// shape allows it, and for small ones.
void inline_functions(Module& module);

/// Subgroup operations by workgroup memory and barriers, for devices without: a subgroup is then a run of
/// emulated_subgroup_size consecutive invocations (fewer in the last one). Such operations must be reached by the whole
/// workgroup together, as they hold barriers.
constexpr std::uint32_t emulated_subgroup_size = 32;
void lower_subgroups(Module& module);

/// The pipeline of a workgroup by plain copies, barriers and arithmetic, for devices without. What all invocations call
/// must be reached by the whole workgroup together, as it holds barriers.
void lower_pipeline(Module& module);
/// Clears needs_zeroes of workgroup memory that a pipeline works on: what is copied to it comes past the invocations,
/// which must not write at the same time.
void keep_staged_memory(Module& module);

/// f16 values become f32 and keep f32's precision between operations; a conversion written f16(x) still rounds. In
/// storage and uniform buffers f16 stays f16: every read of one is wrapped in a conversion to f32, and every value
/// assigned in one to f16. Workgroup and private variables hold f32.
void lower_f16(Module& module);

/// Gives calls that change memory a statement of their own where the order of evaluation could show: WGSL evaluates
/// operands from left to right, C and its relatives in any order.
void order_effects(Module& module);

/// Arrays of vectors in workgroup memory whose elements are stored component by component become arrays of scalars: in
/// WGSL such a store may read and write the whole vector, so that two invocations with a component each would race.
/// Throws Unsupported where the address of such an array, or the whole of it, is used.
void use_scalar_arrays(Module& module);
bool has_component_stores(const Module& module);

/// Clears needs_zeroes of workgroup variables that are wholly written before anything is read from them.
void find_visible_zeroes(Module& module);

}  // namespace driftwood::shader
