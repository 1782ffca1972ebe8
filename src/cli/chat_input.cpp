#include "cli/chat_input.h"

namespace driftwood::cli {
namespace {

constexpr std::string_view quotes = "\"\"\"";
constexpr const char* first_prompt = "> ";
constexpr const char* next_prompt = "... ";

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

ChatCommand command_of(const std::string& line) {
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  return {line.substr(1, end - 1), trimmed(line.substr(end))};
}

}  // namespace

ChatInput read_chat_input(LineReader& reader) {
  std::string line, all;
  // Ends the whole input early; a text that was begun is sent where the input ends.
  const auto read = [&](const char* prompt) { return reader.read(prompt, line); };
  LineReader::Outcome outcome = read(first_prompt);
  if (outcome == LineReader::Outcome::End) return ChatEnd{};
  if (outcome == LineReader::Outcome::Interrupted) return ChatInterrupt{};
  if (line.ends_with('\r')) line.pop_back();
  const bool begins_with_slash = line.starts_with("//");
  if (line.starts_with('/') && !begins_with_slash) {
    reader.remember(line);
    return command_of(line);
  }
  if (line.starts_with(quotes)) {
    line.erase(0, quotes.size());
    while (true) {
      reader.remember(line);
      const std::size_t close = line.find(quotes);
      if (close != std::string::npos) return ChatText{all + line.substr(0, close)};
      all += line;
      outcome = read(next_prompt);
      if (outcome == LineReader::Outcome::Interrupted) return ChatInterrupt{};
      if (outcome == LineReader::Outcome::End) return ChatText{all};
      all += '\n';
    }
  }
  while (true) {
    reader.remember(line);
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.pop_back();
    all += begins_with_slash && all.empty() ? line.substr(1) : line;
    if (!goes_on) return ChatText{all};
    outcome = read(next_prompt);
    if (outcome == LineReader::Outcome::Interrupted) return ChatInterrupt{};
    if (outcome == LineReader::Outcome::End) return ChatText{all};
    all += '\n';
  }
}

}  // namespace driftwood::cli
