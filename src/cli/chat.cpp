#include "cli/chat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "base/log.h"
#include "cli/chat_input.h"
#include "cli/conversation_file.h"
#include "cli/interrupt.h"

namespace driftwood::cli {
namespace {

constexpr std::string_view help =
    R"(/help          this list
/clear         a new conversation; the system message stays
/system TEXT   sets the system message; without a text, takes it away
/regen         another answer to the last message
/save FILE     writes the conversation as JSON
/load FILE     goes on with a conversation from such a file
/stats         tokens and speed of the last answer, and how full the context is
/exit          leaves, as Ctrl-D does
"""            begins a text of several lines, and ends it
\              at the end of a line: the text goes on in the next one
//             at the start of a line: a text that begins with a slash
Ctrl-C         stops an answer; at the prompt, once more leaves
)";

void say(std::string_view text) { fmt::print(stderr, "{}", text); }

void write_text(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

class Chat {
 public:
  Chat(llm::Session& session, const Tokenizer& tokenizer, llm::GenerateSettings settings,
       const std::optional<std::string>& system)
      : session_(session), tokenizer_(tokenizer), settings_(std::move(settings)) {
    settings_.cancelled = Interrupt::raised;
    if (system) messages_.push_back({.role = "system", .content = *system});
  }

  void run() {
    LineReader reader;
    int interrupts = 0;  // in a row, since something was typed
    while (true) {
      const ChatInput input = read_chat_input(reader);
      if (std::holds_alternative<ChatEnd>(input)) return;
      if (std::holds_alternative<ChatInterrupt>(input)) {
        if (++interrupts == 2) return;
        say("Ctrl-C once more, or /exit, leaves.\n");
        Interrupt::clear();
        continue;
      }
      interrupts = 0;
      try {
        if (const auto* command = std::get_if<ChatCommand>(&input)) {
          if (command->name == "exit" || command->name == "quit") return;
          obey(*command);
        } else if (const std::string& text = std::get<ChatText>(input).text; !text.empty()) {
          take_turn(text);
        }
      } catch (const DeviceLost&) {
        throw;  // nothing will work any more
      } catch (const Error& error) {
        say(fmt::format("driftwood: error: {}\n", error.what()));
      }
      if (Interrupt::raised()) interrupts = 1;
      Interrupt::clear();
    }
  }

 private:
  void obey(const ChatCommand& command) {
    const std::string& argument = command.argument;
    const auto needs_file = [&] {
      if (argument.empty()) say(fmt::format("/{} needs the name of a file.\n", command.name));
      return !argument.empty();
    };
    if (command.name == "help" || command.name == "?") {
      say(help);
    } else if (command.name == "clear") {
      std::erase_if(messages_, [](const ChatMessage& message) { return message.role != "system"; });
      say("A new conversation.\n");
    } else if (command.name == "system") {
      set_system(argument);
    } else if (command.name == "regen") {
      regenerate();
    } else if (command.name == "save") {
      if (!needs_file()) return;
      save_conversation(argument, messages_);
      say(fmt::format("{} messages are in '{}'.\n", messages_.size(), argument));
    } else if (command.name == "load") {
      if (!needs_file()) return;
      messages_ = load_conversation(argument);
      say(fmt::format("{} messages from '{}'.\n", messages_.size(), argument));
    } else if (command.name == "stats") {
      say_stats();
    } else {
      say(fmt::format("There is no command /{}; /help lists them. // begins a text with a slash.\n", command.name));
    }
  }

  void set_system(const std::string& text) {
    std::erase_if(messages_, [](const ChatMessage& message) { return message.role == "system"; });
    if (!text.empty()) messages_.insert(messages_.begin(), {.role = "system", .content = text});
    say(text.empty() ? "No system message.\n" : "The system message is set.\n");
  }

  void regenerate() {
    const bool has_answer = !messages_.empty() && messages_.back().role == "assistant";
    const std::size_t asked = messages_.size() - (has_answer ? 1 : 0);
    if (asked == 0 || messages_[asked - 1].role != "user") {
      say("There is no message to answer.\n");
      return;
    }
    if (settings_.sampler.temperature == 0) say("With a temperature of 0 the answer is the same each time.\n");
    ++settings_.sampler.seed;  // the same seed would give the same answer
    std::vector<ChatMessage> messages(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(asked));
    answer(std::move(messages));
  }

  void take_turn(const std::string& text) {
    std::vector<ChatMessage> messages = messages_;
    messages.push_back({.role = "user", .content = text});
    answer(std::move(messages));
  }

  /// Generates the answer to `messages`, which become the conversation; where that fails it stays as it was.
  void answer(std::vector<ChatMessage> messages) {
    const std::vector<std::int32_t> ids = conversation_ids(tokenizer_, messages);
    if (ids.empty()) throw InvalidInput("The chat template gives no text for this conversation.");
    if (ids.size() > session_.context()) {
      throw InvalidInput(fmt::format(
          "The conversation has {} tokens, over the context of {}. /clear begins a new one; a larger --ctx holds more.",
          ids.size(), session_.context()));
    }
    const std::size_t kept = session_.reuse(ids);
    const llm::Generated generated =
        llm::generate(session_, &tokenizer_, std::span(ids).subspan(kept), settings_, write_text);
    write_text("\n");
    const bool is_dropped = generated.finish == llm::FinishReason::Cancelled && generated.text.empty();
    if (!is_dropped) {
      messages.push_back({.role = "assistant", .content = generated.text});
      messages_ = std::move(messages);
    }
    stats_ = Stats{ids.size() - kept, kept, generated};
    if (generated.finish == llm::FinishReason::Context) {
      log(LogLevel::Warning, fmt::format("the context of {} tokens is full (reason \"length\"): /clear begins a new "
                                         "conversation; a larger --ctx holds more",
                                         session_.context()));
    } else if (generated.finish == llm::FinishReason::Length) {
      log(LogLevel::Info, fmt::format("the answer ends at the limit of {} tokens (-n)", settings_.max_tokens));
    } else if (generated.finish == llm::FinishReason::Cancelled) {
      say(is_dropped ? "(stopped before the answer: the message is dropped)\n" : "(stopped)\n");
    }
  }

  void say_stats() const {
    say(fmt::format("context: {} of {} tokens\n", session_.position(), session_.context()));
    if (!stats_) return;
    const llm::Generated& last = stats_->generated;
    const auto per_second = [](std::size_t tokens, double milliseconds) {
      return 1000.0 * static_cast<double>(tokens) / std::max(milliseconds, 1e-6);
    };
    say(fmt::format("last turn: {} tokens kept, {} read at {:.1f} tok/s, {} generated at {:.1f} tok/s, ended by {}\n",
                    stats_->kept, stats_->read, per_second(stats_->read, last.prompt_ms), last.tokens.size(),
                    per_second(last.tokens.size(), last.predicted_ms), llm::to_string(last.finish)));
  }

  struct Stats {
    std::size_t read = 0, kept = 0;  // tokens of the prompt
    llm::Generated generated;
  };

  llm::Session& session_;
  const Tokenizer& tokenizer_;
  llm::GenerateSettings settings_;
  std::vector<ChatMessage> messages_;
  std::optional<Stats> stats_;
};

}  // namespace

std::vector<std::int32_t> conversation_ids(const Tokenizer& tokenizer, const std::vector<ChatMessage>& messages) {
  return chat_ids(tokenizer, ChatTemplate(tokenizer).render(messages));
}

void chat(llm::Session& session, const Tokenizer& tokenizer, llm::GenerateSettings settings,
          const std::optional<std::string>& system) {
  const Interrupt interrupt;
  Chat(session, tokenizer, std::move(settings), system).run();
}

}  // namespace driftwood::cli
