// What `driftwood ablate` prints: a line a comparison as it is done, and one JSON document.
#pragma once

#include <nlohmann/json.hpp>

#include "measure/interleave.h"

namespace driftwood::cli {

void print_ablation_head();
void print_ablation(const measure::Comparison& comparison);
nlohmann::json ablation_json(const measure::Comparison& comparison, const std::string& group);

}  // namespace driftwood::cli
