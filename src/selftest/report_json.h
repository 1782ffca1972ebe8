// Reports as JSON: what `driftwood selftest --json` prints and what is kept of a test.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "selftest/selftest.h"

namespace driftwood::selftest {

/// {"device","name","driver","scope","full","kernels":[{"kernel","cases","verdict","fault","instead"}],
/// "amendments":{"kernels":[],"features":[]},"lost","milliseconds","right","worked_around"}
nlohmann::json to_json(const Report& report);

/// Nothing where the document is not what to_json() writes.
std::optional<Report> report_from(const nlohmann::json& document);

}  // namespace driftwood::selftest
