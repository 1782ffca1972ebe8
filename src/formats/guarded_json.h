// JSON from outside, with limits.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace driftwood {

struct JsonLimits {
  int depth = 64;                 // of objects and arrays within one another
  bool refuse_duplicates = true;  // keys that occur twice in an object; otherwise the last one counts
};

/// Parses one JSON document. Throws InvalidInput, naming `what` ("The header"), where the text is no JSON, is no UTF-8
/// or passes a limit.
nlohmann::json parse_json(std::string_view text, std::string_view what, const JsonLimits& limits = {});

}  // namespace driftwood
