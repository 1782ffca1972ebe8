#include "formats/guarded_json.h"

#include <fmt/format.h>

#include <string>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "formats/quote.h"

namespace driftwood {

nlohmann::json parse_json(std::string_view text, std::string_view what, const JsonLimits& limits) {
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::unordered_set<std::string>> keys;  // of the objects that are open, by depth
  const auto check = [&](int depth, Event event, nlohmann::json& parsed) {
    if ((event == Event::object_start || event == Event::array_start) && depth >= limits.depth) {
      throw InvalidInput(fmt::format("{} nests more than {} deep.", what, limits.depth));
    }
    if (!limits.refuse_duplicates) return true;
    const auto level = static_cast<std::size_t>(depth);
    if (event == Event::object_start) {
      keys.resize(level + 2);
      keys[level + 1].clear();
    } else if (event == Event::key && !keys[level].insert(parsed.get<std::string>()).second) {
      throw InvalidInput(
          fmt::format("{} has the key {} more than once.", what, quote_name(parsed.get_ref<const std::string&>())));
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text.begin(), text.end(), check);
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(fmt::format("{} is no valid JSON: {}.", what, quote_name(error.what())));
  }
}

}  // namespace driftwood
