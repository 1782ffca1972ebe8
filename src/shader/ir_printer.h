// A module as WGSL-like text, for dumps and for tests that compare text: one statement a line, positions left out.
//
// It is what WGSL would be of the module, with the additions that the tree has: tensors and weights, objects as
// `@object(buffer, f32, [12]) var<read> x_0: object<f32>;` read by `x_0[i]` and written by `x_0[i] = v`.
#pragma once

#include <string>

#include "shader/ir.h"

namespace driftwood::shader {

std::string print(const Module& module);
std::string print(const Function& function);
std::string print(const Expression& expression);
std::string print(const Statement& statement);

}  // namespace driftwood::shader
