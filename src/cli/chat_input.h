// What is typed into a chat: a text of one line or several, or a command.
#pragma once

#include <string>
#include <variant>

#include "cli/line_reader.h"

namespace driftwood::cli {

struct ChatText {
  std::string text;
};
struct ChatCommand {
  std::string name;      // "help", without its slash
  std::string argument;  // the rest of the line, without the blanks around it
};
struct ChatEnd {};
struct ChatInterrupt {};

using ChatInput = std::variant<ChatText, ChatCommand, ChatEnd, ChatInterrupt>;

/// Reads lines until a text or a command is whole. """ begins a text of any lines that the next """ ends; after a
/// backslash at its end, a line goes on in the next one. A line that begins with a slash is a command, one with two
/// slashes a text that begins with one.
ChatInput read_chat_input(LineReader& reader);

}  // namespace driftwood::cli
