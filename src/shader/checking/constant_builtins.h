// Values of built-in functions whose arguments are all known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shader/ir.h"

namespace driftwood::shader::checking {

/// The components of a value, or the sentence that says why there is none.
struct FoldedComponents {
  std::vector<ConstantScalar> components;
  std::string error;
};

/// Evaluates the built-in; nothing for those that have no constant value (barriers, atomics, tensors, subgroups).
/// `arguments` are the components of each argument, already of the types that the call was resolved to.
std::optional<FoldedComponents> fold_builtin(Builtin builtin, const std::vector<std::vector<ConstantScalar>>& arguments,
                                             const TypePtr& result);

}  // namespace driftwood::shader::checking
