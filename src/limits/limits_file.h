// Limits of a smaller device as a file: one JSON object whose names are those of the facts that `driftwood devices
// --json` prints.
//
//   {"is_cpu": false, "max_workgroup_size": 64, "local_memory": 16384, "max_image_2d": [8192, 8192]}
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gpu/device_limits.h"

namespace driftwood::limits {

/// Throws InvalidInput, naming `what`, for text that is no such object: unknown names (with the known ones), values of
/// another type, numbers that do not fit.
gpu::DeviceLimits parse_limits(std::string_view text, std::string_view what);

/// Throws InvalidInput also for a file that cannot be read or has more than 64 KiB.
gpu::DeviceLimits read_limits(const std::filesystem::path& path);

/// What is set, as in a file.
nlohmann::json to_json(const gpu::DeviceLimits& limits);

}  // namespace driftwood::limits
