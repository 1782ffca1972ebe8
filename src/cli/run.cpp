#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/log.h"
#include "base/stopwatch.h"
#include "cli/chat.h"
#include "cli/command.h"
#include "cli/options.h"
#include "llm/generate.h"

namespace driftwood::cli {
namespace {

struct RunArguments {
  std::string model;
  RunOptions run;
  std::optional<std::string> prompt, file, ids;
  std::optional<std::string> system;
  std::uint32_t tokens = 256;
  llm::SamplerSettings sampler;
  std::string draft = "none";
  std::uint32_t draft_tokens = 8;
  std::optional<std::uint64_t> seed;
  bool raw = false, ignore_eos = false, json = false;
  std::vector<std::string> stops;
};

void write_text(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::vector<std::int32_t> prompt_ids(const RunArguments& arguments, const Tokenizer* tokenizer) {
  if (arguments.ids) return parse_ids(*arguments.ids);
  if (tokenizer == nullptr) throw InvalidInput("The model has no tokenizer: give the prompt as token ids with --ids.");
  const std::string text =
      arguments.file ? read_text(*arguments.file) : (*arguments.prompt == "-" ? read_text("-") : *arguments.prompt);
  if (arguments.raw || tokenizer->chat_template().empty())
    return tokenizer->encode(text, {.add_special = true, .parse_special = true});
  std::vector<ChatMessage> messages;
  if (arguments.system) messages.push_back({.role = "system", .content = *arguments.system});
  messages.push_back({.role = "user", .content = text});
  return conversation_ids(*tokenizer, messages);
}

llm::GenerateSettings generate_settings(const RunArguments& arguments) {
  return {.max_tokens = arguments.tokens,
          .sampler = arguments.sampler,
          .ignore_end = arguments.ignore_eos,
          .stops = arguments.stops,
          .draft = {.tokens = arguments.draft == "none" ? 0 : arguments.draft_tokens},
          .sampling = arguments.run.sampling_place()};
}

void print_timings(const llm::Generated& generated, std::size_t prompt_tokens, double load_ms) {
  log(LogLevel::Info,
      fmt::format("load {:.0f} ms, prompt {} tokens {:.1f} tok/s, generated {} tokens {:.1f} tok/s", load_ms,
                  prompt_tokens, 1000.0 * static_cast<double>(prompt_tokens) / std::max(generated.prompt_ms, 1e-6),
                  generated.tokens.size(),
                  1000.0 * static_cast<double>(generated.tokens.size()) / std::max(generated.predicted_ms, 1e-6)));
  if (generated.drafted != 0)
    log(LogLevel::Info, fmt::format("{} of {} drafted tokens were right", generated.accepted, generated.drafted));
}

/// The reason of the end is "length" in both cases; that it was the context can be helped.
void warn_if_full(const llm::Generated& generated, const llm::Session& session) {
  if (generated.finish == llm::FinishReason::Context)
    log(LogLevel::Warning, fmt::format("the context of {} tokens is full; use a larger --ctx", session.context()));
}

void run(const RunArguments& given) {
  RunArguments arguments = given;
  if (arguments.sampler.temperature != 0 && !arguments.seed)
    arguments.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  arguments.sampler.seed = arguments.seed.value_or(0);
  const int sources = (arguments.prompt ? 1 : 0) + (arguments.file ? 1 : 0) + (arguments.ids ? 1 : 0);
  if (sources > 1) throw CLI::ValidationError("run", "only one of -p, -f and --ids can be given");
  const bool interactive = sources == 0;
  if (interactive && ::isatty(STDIN_FILENO) == 0)
    throw CLI::ValidationError("run", "there is no prompt: give -p TEXT, -p - for standard input, -f FILE or --ids");
  llm::Sampler check(arguments.sampler);  // its errors come before the load

  const Stopwatch watch;
  const auto checkpoint = models::Checkpoint::open(arguments.model);
  const auto tokenizer = load_tokenizer(checkpoint);
  if (interactive && (tokenizer == nullptr || tokenizer->chat_template().empty()))
    throw InvalidInput("The model has no chat template: give a prompt with -p.");
  std::vector<std::int32_t> ids;
  if (!interactive) {
    ids = prompt_ids(arguments, tokenizer.get());
    // Before the device is opened: a prompt that can't run should say so at once.
    const std::uint32_t context = llm::resolved_context(arguments.run.context, checkpoint);
    if (ids.empty()) throw InvalidInput("The prompt is empty: it has no tokens.");
    if (ids.size() > context)
      throw InvalidInput(
          fmt::format("The prompt has {} tokens, over the context of {}. Use a larger --ctx or a shorter prompt.",
                      ids.size(), context));
  }
  const auto device = open_device(arguments.run, selftest::Scope::Language);
  const auto session = open_session(*device, checkpoint, arguments.run, arguments.run.context);
  const double load_ms = watch.milliseconds();
  if (interactive) return chat(*session, *tokenizer, generate_settings(arguments), arguments.system);

  // Without a tokenizer the ids are the result, as they come.
  bool first = true;
  const auto print_id = [&](std::int32_t id) {
    write_text(fmt::format("{}{}", first ? "" : ",", id));
    first = false;
  };
  const llm::Generated generated =
      llm::generate(*session, tokenizer.get(), ids, generate_settings(arguments),
                    arguments.json ? llm::TextSink() : llm::TextSink(write_text),
                    arguments.json || tokenizer != nullptr ? llm::TokenSink() : llm::TokenSink(print_id));
  if (!arguments.json) write_text("\n");
  warn_if_full(generated, *session);
  if (!arguments.json) {
    print_timings(generated, ids.size(), load_ms);
    return;
  }
  nlohmann::json document = {
      {"text", generated.text},
      {"tokens", generated.tokens},
      {"prompt_tokens", ids.size()},
      {"finish_reason", llm::to_string(generated.finish)},
      {"device", device->facts().id},
      {"seed", arguments.sampler.seed},
      {"activations", graph::to_string(session->activations())},
      {"options", arguments.run.to_json()},
      {"kv_type", to_string(session->cache_type())},
      {"sampling", generated.sampled_on_device ? "device" : "host"},
      {"draft", {{"kind", arguments.draft}, {"drafted", generated.drafted}, {"accepted", generated.accepted}}},
      {"timings",
       {{"load_ms", load_ms},
        {"prompt_ms", generated.prompt_ms},
        {"prompt_per_second", 1000.0 * static_cast<double>(ids.size()) / std::max(generated.prompt_ms, 1e-6)},
        {"predicted_ms", generated.predicted_ms},
        {"predicted_per_second",
         1000.0 * static_cast<double>(generated.tokens.size()) / std::max(generated.predicted_ms, 1e-6)},
        {"host_ms_per_token",
         generated.host_ms / static_cast<double>(std::max<std::size_t>(generated.tokens.size(), 1))}}},
  };
  print_json(document);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Generate text");
  add_model(*command, arguments->model);
  command->add_option("-p,--prompt", arguments->prompt, "Prompt; '-' reads standard input. None on a terminal: a chat");
  command->add_option("-f,--file", arguments->file, "Read the prompt from a file");
  command->add_option("--ids", arguments->ids, "Prompt as token ids: 1,2,3");
  command->add_option("-n,--tokens", arguments->tokens, "Most tokens to generate")->capture_default_str();
  command->add_option("--temp", arguments->sampler.temperature, "Temperature; 0: always the likeliest token")
      ->capture_default_str();
  command->add_option("--top-k", arguments->sampler.top_k, "Only the K likeliest tokens; 0: all")
      ->capture_default_str();
  command
      ->add_option("--top-p", arguments->sampler.top_p, "Only the likeliest tokens of this total probability; 1: all")
      ->capture_default_str();
  command
      ->add_option("--min-p", arguments->sampler.min_p,
                   "Only tokens at least this likely relative to the likeliest; 0: all")
      ->capture_default_str();
  command
      ->add_option("--repeat-penalty", arguments->sampler.repeat_penalty,
                   "Makes the last 64 tokens less likely; 1: off")
      ->capture_default_str();
  command
      ->add_option("--seed", arguments->seed,
                   "Seed of the sampler: the same seed gives the same text (default: the clock)")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--raw", arguments->raw, "Send the prompt as it is, without the model's chat template");
  command->add_option("--system", arguments->system, "System message of the chat template");
  command->add_flag("--ignore-eos", arguments->ignore_eos, "Go on after the end-of-text token");
  command->add_option("--stop", arguments->stops, "Stop before this text (repeatable)");
  command
      ->add_option("--draft", arguments->draft,
                   "ngram: guess tokens from what followed before, and check several at once; the text stays the same")
      ->check(CLI::IsMember({"none", "ngram"}))
      ->capture_default_str();
  command->add_option("--draft-tokens", arguments->draft_tokens, "Most tokens of a draft")
      ->check(CLI::Range(1u, llm::max_draft_tokens))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "One JSON document on standard output");
  arguments->run.add_to(*command);
  arguments->run.add_sampling_to(*command);
  command->callback([arguments, &action] { action = [arguments] { run(*arguments); }; });
}

}  // namespace driftwood::cli
