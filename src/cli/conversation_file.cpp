#include "cli/conversation_file.h"

#include <fmt/format.h>

#include <fstream>

#include "base/error.h"
#include "cli/options.h"
#include "formats/guarded_json.h"

namespace driftwood::cli {

void save_conversation(const std::string& path, const std::vector<ChatMessage>& messages) {
  nlohmann::json list = nlohmann::json::array();
  for (const ChatMessage& message : messages) list.push_back({{"role", message.role}, {"content", message.content}});
  std::ofstream file(path, std::ios::binary);
  file << list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  if (!file.flush()) throw InvalidInput(fmt::format("The file '{}' cannot be written.", path));
}

std::vector<ChatMessage> load_conversation(const std::string& path) {
  const nlohmann::json list = parse_json(read_text(path), fmt::format("The file '{}'", path));
  std::vector<ChatMessage> messages;
  const auto refuse = [&] {
    throw InvalidInput(fmt::format(
        "The file '{}' is no conversation: a list of objects with the texts 'role' and 'content' is expected.", path));
  };
  if (!list.is_array()) refuse();
  for (const auto& one : list) {
    if (!one.is_object() || !one.contains("role") || !one.contains("content") || !one["role"].is_string() ||
        !one["content"].is_string()) {
      refuse();
    }
    messages.push_back({.role = one["role"].get<std::string>(), .content = one["content"].get<std::string>()});
  }
  return messages;
}

}  // namespace driftwood::cli
