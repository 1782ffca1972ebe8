#include "text/chat_template.h"

#include "base/error.h"
#include "text/jinja/interpreter.h"
#include "text/jinja/parser.h"

namespace driftwood {

namespace {

std::string text_of(const Tokenizer& tokenizer, std::optional<std::int32_t> id) {
  return id ? tokenizer.piece(*id) : std::string();
}

const std::string& template_of(const Tokenizer& tokenizer) {
  if (tokenizer.chat_template().empty()) {
    throw InvalidInput("The model has no chat template; it was not trained for conversations.");
  }
  return tokenizer.chat_template();
}

}  // namespace

struct ChatTemplate::Parsed {
  jinja::Body body;
};

ChatTemplate::ChatTemplate(std::string_view source, std::string bos_token, std::string eos_token)
    : parsed_(std::make_unique<Parsed>(Parsed{jinja::parse_template(source)})),
      bos_token_(std::move(bos_token)),
      eos_token_(std::move(eos_token)) {}

ChatTemplate::ChatTemplate(const Tokenizer& tokenizer)
    : ChatTemplate(template_of(tokenizer), text_of(tokenizer, tokenizer.bos()), text_of(tokenizer, tokenizer.eos())) {}

ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

std::string ChatTemplate::render(const std::vector<ChatMessage>& messages, const ChatOptions& options) const {
  jinja::List list;
  for (const ChatMessage& message : messages) {
    list.emplace_back(jinja::Dict{{"role", message.role}, {"content", message.content}});
  }
  return render_value(std::move(list), options);
}

std::string ChatTemplate::render_value(const jinja::Value& messages, const ChatOptions& options) const {
  jinja::Dict variables{{"messages", messages},    {"add_generation_prompt", options.add_generation_prompt},
                        {"tools", jinja::None{}},  {"documents", jinja::None{}},
                        {"bos_token", bos_token_}, {"eos_token", eos_token_}};
  for (const auto& [name, value] : options.variables) jinja::assign(variables, name, value);
  return jinja::render(parsed_->body, variables);
}

std::vector<std::int32_t> chat_ids(const Tokenizer& tokenizer, std::string_view rendered) {
  std::vector<std::int32_t> ids = tokenizer.encode(rendered, {.parse_special = true});
  if (tokenizer.add_bos() && (ids.empty() || ids.front() != *tokenizer.bos()))
    ids.insert(ids.begin(), *tokenizer.bos());
  return ids;
}

}  // namespace driftwood
