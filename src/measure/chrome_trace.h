// A profile as a trace in Chrome's format, which Perfetto and chrome://tracing open.
//
// Two tracks: "host", where submitting and waiting are seen as the clock of the host had them, and "device", where each
// dispatch is as long as its corrected event time and follows the one before. Steps follow one another; one begins when
// host and device are done with the one before. In the arguments of a dispatch: label of the node, bytes, flops, GB/s,
// GFLOP/s, share of the limit.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "measure/profile.h"

namespace driftwood::measure {

/// A JSON object with "traceEvents"; times are microseconds.
std::string chrome_trace(std::span<const Stage> stages, const std::optional<Ceilings>& ceilings,
                         const std::string& device);

}  // namespace driftwood::measure
