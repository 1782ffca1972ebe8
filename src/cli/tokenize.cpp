#include <fmt/format.h>

#include <fstream>
#include <iostream>

#include "base/error.h"
#include "cli/command.h"
#include "cli/options.h"
#include "text/chat_template.h"

namespace driftwood::cli {
namespace {

struct TokenizeArguments {
  std::string model;
  std::optional<std::string> prompt, file;
  bool no_special = false, parse_special = false, json = false, jsonl = false;
};

void tokenize_lines(const Tokenizer& tokenizer) {
  std::string line;
  for (std::size_t number = 1; std::getline(std::cin, line); ++number) {
    if (line.empty()) continue;
    try {
      const nlohmann::json request = nlohmann::json::parse(line);
      const std::string text = request.at("text").get<std::string>();
      const EncodeOptions options{.add_special = request.value("add_special", true),
                                  .parse_special = request.value("parse_special", false)};
      print_json({{"ids", tokenizer.encode(text, options)}});
    } catch (const nlohmann::json::exception& error) {
      throw InvalidInput(fmt::format("Line {} of standard input is no request such as {{\"text\": \"…\"}}: {}.", number,
                                     error.what()));
    }
  }
}

/// A piece on one line: control characters and what is not UTF-8 escaped, as JSON does.
std::string printable(const std::string& piece) {
  return nlohmann::json(piece).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void tokenize(const TokenizeArguments& arguments) {
  if (!arguments.jsonl && !arguments.prompt && !arguments.file)
    throw CLI::ValidationError("tokenize", "there is no text: give -p TEXT, -p - for standard input, or -f FILE");
  const auto tokenizer = open_tokenizer(arguments.model);
  if (arguments.jsonl) return tokenize_lines(*tokenizer);
  const std::string text =
      arguments.file ? read_text(*arguments.file) : (*arguments.prompt == "-" ? read_text("-") : *arguments.prompt);
  const auto ids =
      tokenizer->encode(text, {.add_special = !arguments.no_special, .parse_special = arguments.parse_special});
  if (arguments.json) return print_json(ids);
  for (const std::int32_t id : ids) fmt::print("{:>8}  {}\n", id, printable(tokenizer->piece(id)));
}

struct DetokenizeArguments {
  std::string model, ids;
  bool no_special = false;
};

struct TemplateArguments {
  std::string model, messages;
  bool no_generation_prompt = false;
};

}  // namespace

void add_tokenize(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<TokenizeArguments>();
  CLI::App* command = app.add_subcommand("tokenize", "Text to token ids: an id and its piece a line");
  add_model(*command, arguments->model);
  command->add_option("-p,--prompt", arguments->prompt, "Text; '-' reads standard input");
  command->add_option("-f,--file", arguments->file, "Read the text from a file");
  command->add_flag("--no-special", arguments->no_special,
                    "Leave out the tokens that the model wants at the start and end");
  command->add_flag("--parse-special", arguments->parse_special, "Control tokens spelled in the text become one token");
  command->add_flag("--json", arguments->json, "Print [ids]");
  command->add_flag(
      "--jsonl", arguments->jsonl,
      "Read {\"text\", \"add_special\", \"parse_special\"} lines from standard input, write {\"ids\": […]} lines");
  command->callback([arguments, &action] { action = [arguments] { tokenize(*arguments); }; });
}

void add_detokenize(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<DetokenizeArguments>();
  CLI::App* command = app.add_subcommand("detokenize", "Token ids to the exact bytes");
  add_model(*command, arguments->model);
  command->add_option("--ids", arguments->ids, "Token ids: 1,2,3")->required();
  command->add_flag("--no-special", arguments->no_special, "Drop control tokens instead of spelling them out");
  command->callback([arguments, &action] {
    action = [arguments] {
      const auto ids = parse_ids(arguments->ids);
      const auto tokenizer = open_tokenizer(arguments->model);
      const std::string bytes = tokenizer->decode(ids, {.special = !arguments->no_special});
      std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    };
  });
}

void add_chat_template(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<TemplateArguments>();
  CLI::App* command = app.add_subcommand("chat-template", "Render the model's chat template");
  add_model(*command, arguments->model);
  command
      ->add_option("--messages", arguments->messages,
                   "JSON file: [{\"role\": …, \"content\": …}, …], or an object with these as 'messages' and further "
                   "names for the template, such as 'tools'; '-' reads standard input")
      ->required();
  command->add_flag("--no-generation-prompt", arguments->no_generation_prompt, "End after the last message");
  command->callback([arguments, &action] {
    action = [arguments] {
      jinja::Value messages = jinja::parse_json(read_text(arguments->messages));
      ChatOptions options{.add_generation_prompt = !arguments->no_generation_prompt};
      if (messages.is_dict()) {
        const jinja::Value* list = messages.find("messages");
        if (list == nullptr) throw InvalidInput("The object in --messages has no member 'messages'.");
        for (const auto& [name, value] : messages.dict()) {
          if (name != "messages") options.variables.emplace_back(name, value);
        }
        messages = jinja::Value(*list);
      }
      const auto tokenizer = open_tokenizer(arguments->model);
      const std::string text = ChatTemplate(*tokenizer).render_value(messages, options);
      std::fwrite(text.data(), 1, text.size(), stdout);
    };
  });
}

}  // namespace driftwood::cli
