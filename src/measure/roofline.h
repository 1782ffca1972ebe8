// A profile as a roofline picture, in SVG: operations a byte against operations a second, both logarithmic. The limits
// of the device are lines, each kernel of a stage a dot with its name, as large as its share of the time.
#pragma once

#include <span>
#include <string>

#include "measure/profile.h"

namespace driftwood::measure {

/// Kernels that do no arithmetic, or whose time is zero, have no place in it; a line below names them. Throws
/// InvalidInput where no kernel has one.
std::string roofline_svg(std::span<const Stage> stages, const Ceilings& ceilings, const std::string& title);

}  // namespace driftwood::measure
