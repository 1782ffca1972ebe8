// A conversation to the text that a chat model was trained on, by the Jinja template in the model's file.
//
//   const ChatTemplate chat(*tokenizer);
//   std::string prompt = chat.render({{"user", "Hello"}}, {.add_generation_prompt = true});
//   auto ids = chat_ids(*tokenizer, prompt);
//
// Templates run as Hugging Face runs them (trim_blocks and lstrip_blocks on, loop controls, raise_exception,
// strftime_now, tojson). What a hostile template may use of time, memory and stack is bounded.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/value.h"
#include "text/tokenizer.h"

namespace driftwood {

struct ChatMessage {
  std::string role;  // "system", "user", "assistant"
  std::string content;
};

struct ChatOptions {
  bool add_generation_prompt = true;  // end where the assistant's answer begins
  jinja::Dict variables = {};         // further names for the template: "tools", "enable_thinking"
};

class ChatTemplate {
 public:
  /// Throws InvalidInput, with the line, where the text is no template, and Unsupported for statements that
  /// chat templates have no use for.
  ChatTemplate(std::string_view source, std::string bos_token, std::string eos_token);
  /// The tokenizer's own template. Throws InvalidInput where the model has none.
  explicit ChatTemplate(const Tokenizer& tokenizer);
  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;

  /// Throws InvalidInput where the template fails or refuses the conversation.
  std::string render(const std::vector<ChatMessage>& messages, const ChatOptions& options = {}) const;
  /// The same for messages with more than text: a list of dicts (jinja::parse_json makes one).
  std::string render_value(const jinja::Value& messages, const ChatOptions& options = {}) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
  std::string bos_token_, eos_token_;
};

/// The ids of a rendered conversation: control tokens spelled in it are parsed, and BOS is there once where the model
/// wants one, whether or not the template writes it.
std::vector<std::int32_t> chat_ids(const Tokenizer& tokenizer, std::string_view rendered);

}  // namespace driftwood
