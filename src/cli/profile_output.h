// What `driftwood profile` prints: the limits of the device, and each stage by kernel.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "measure/profile.h"

namespace driftwood::cli {

void print_limits(const std::optional<measure::Ceilings>& ceilings);
/// Null where they are not known.
nlohmann::json limits_json(const std::optional<measure::Ceilings>& ceilings);

void print_stage(const measure::Stage& stage, const std::optional<measure::Ceilings>& ceilings);
nlohmann::json stage_json(const measure::Stage& stage, const std::optional<measure::Ceilings>& ceilings);

/// The slowest dispatches of a stage's first step, one by one.
void print_slowest(const measure::Stage& stage, const std::optional<measure::Ceilings>& ceilings, std::size_t count);

}  // namespace driftwood::cli
