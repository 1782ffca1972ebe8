// Conversations as files: the JSON that `chat-template --messages` reads, [{"role": …, "content": …}, …].
#pragma once

#include <string>
#include <vector>

#include "text/chat_template.h"

namespace driftwood::cli {

/// Replaces the file. Throws InvalidInput where it cannot be written.
void save_conversation(const std::string& path, const std::vector<ChatMessage>& messages);

/// Throws InvalidInput where the file cannot be read or holds no such list of texts.
std::vector<ChatMessage> load_conversation(const std::string& path);

}  // namespace driftwood::cli
