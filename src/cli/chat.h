// A conversation on a terminal: `driftwood run MODEL` without a prompt.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "llm/generate.h"
#include "llm/session.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace driftwood::cli {

/// Takes turns until /exit, the end of the input, or Ctrl-C twice at the prompt. Answers go to standard output, all
/// else to standard error. The tokenizer has a chat template; `settings` is for every answer; `system` is the system
/// message. Errors of a turn (a conversation that its template refuses, one over the context) are shown and do not end
/// the chat.
void chat(llm::Session& session, const Tokenizer& tokenizer, llm::GenerateSettings settings,
          const std::optional<std::string>& system);

/// The ids of a conversation by the model's template, up to where its answer begins.
std::vector<std::int32_t> conversation_ids(const Tokenizer& tokenizer, const std::vector<ChatMessage>& messages);

}  // namespace driftwood::cli
