// How far a result may be from its value in exact arithmetic, derived from what kernels compute.
//
// With u = 2^-24, half the distance between floats beside 1:
// - A sum of n terms in single precision is off by at most n u S, S being the sum of the absolute terms, in whatever
//   order it is made; roundings that do not know of each other add up to less than 6 sqrt(n) u S but once in 10^7 sums
//   (Higham and Mary, "A new approach to probabilistic rounding error analysis", 2019). The smaller of both is taken.
// - Each other sum, product or conversion on the way is off by u.
// - A function of the device is off by what its language allows: OpenCL C 3.0 (table 65), Metal (table 8.2) and WGSL
//   (section 15.7.4) count units in the last place, 2 u each. WGSL gives sines an absolute error of 2^-11.
// - A result that is stored in f16 is rounded once more: by 2^-11 of itself, or by half the distance of subnormals,
//   2^-25; WebGPU may also round to the other neighbour, which doubles both.
// - Matrix units take halves: an operand that was none is off by 2^-11 of itself.
// - Kernels that multiply in halves round the input once and each of nine sums of products, by 2^-11 of the absolute
//   terms at most.
#pragma once

#include "conformance/case.h"
#include "gpu/device.h"

namespace driftwood::conformance {

/// What the language of the device's API allows.
Accuracy accuracy_of(const gpu::DeviceFacts& facts);

/// The error allowed for an element that is stored as `stored`; `half_steps` roundings on the way are to halves.
double tolerance(const Wanted& wanted, const Arithmetic& arithmetic, const Accuracy& accuracy, DataType stored,
                 double half_steps);

}  // namespace driftwood::conformance
