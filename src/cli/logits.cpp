#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "cli/command.h"
#include "cli/options.h"
#include "formats/safetensors.h"
#include "llm/log_sum_exp.h"

namespace driftwood::cli {
namespace {

struct LogitsArguments {
  std::string model, ids;
  std::string positions = "-1";
  std::string out;
  std::uint32_t top = 10;
  bool json = false;
  RunOptions run;
};

/// Positions of a prompt of n tokens; negative ones count from its end.
std::vector<std::size_t> resolve_positions(const std::string& list, std::size_t n) {
  std::vector<std::size_t> positions;
  for (const std::int32_t given : parse_ids(list)) {
    const std::int64_t position = given < 0 ? static_cast<std::int64_t>(n) + given : given;
    if (position < 0 || position >= static_cast<std::int64_t>(n))
      throw InvalidInput(fmt::format("The position {} is outside the prompt of {} tokens.", given, n));
    positions.push_back(static_cast<std::size_t>(position));
  }
  return positions;
}

struct Row {
  std::size_t position;
  std::vector<float> logits;
};

nlohmann::json describe(const Row& row, std::size_t top) {
  const std::vector<float>& logits = row.logits;
  const auto n = static_cast<double>(logits.size());
  double sum = 0, squares = 0;
  for (const float logit : logits) sum += logit;
  const double mean = sum / n;
  for (const float logit : logits) squares += (logit - mean) * (logit - mean);
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto shown = static_cast<std::ptrdiff_t>(std::min(top, order.size()));
  const auto at = [&](std::int32_t id) { return logits[static_cast<std::size_t>(id)]; };
  std::partial_sort(order.begin(), order.begin() + shown, order.end(),
                    [&](std::int32_t a, std::int32_t b) { return at(a) != at(b) ? at(a) > at(b) : a < b; });
  order.resize(static_cast<std::size_t>(shown));
  std::vector<float> values;
  values.reserve(order.size());
  for (const std::int32_t id : order) values.push_back(at(id));
  return {{"position", row.position},
          {"top_ids", order},
          {"top_logits", values},
          {"logsumexp", llm::log_sum_exp(logits)},
          {"mean", mean},
          {"std", std::sqrt(squares / n)}};
}

void logits(const LogitsArguments& arguments) {
  const std::vector<std::int32_t> ids = parse_ids(arguments.ids);
  if (ids.empty()) throw InvalidInput("There are no token ids.");
  const std::vector<std::size_t> positions = resolve_positions(arguments.positions, ids.size());
  const auto checkpoint = models::Checkpoint::open(arguments.model);
  const auto device = open_device(arguments.run, selftest::Scope::Language);
  // Without --ctx as much as the prompt needs.
  const auto context = arguments.run.context.value_or(static_cast<std::uint32_t>(ids.size()));
  const auto session = open_session(*device, checkpoint, arguments.run, context);
  std::vector<Row> rows;
  if (positions == std::vector{ids.size() - 1})
    rows.push_back({positions.front(), session->feed(ids)});  // the path that generation takes
  else
    session->feed_all(ids, [&](std::size_t position, std::span<const float> values) {
      if (std::ranges::find(positions, position) != positions.end())
        rows.push_back({position, std::vector<float>(values.begin(), values.end())});
    });
  // In the order asked for.
  std::vector<const Row*> ordered;
  ordered.reserve(positions.size());
  for (const std::size_t position : positions) ordered.push_back(&*std::ranges::find(rows, position, &Row::position));

  if (!arguments.out.empty()) {
    std::vector<float> all;
    for (const Row* row : ordered) all.insert(all.end(), row->logits.begin(), row->logits.end());
    const SafetensorsOutput output{.name = "logits",
                                   .type = DataType::F32,
                                   .shape = {ordered.size(), session->vocabulary()},
                                   .bytes = std::as_bytes(std::span(all))};
    write_safetensors(arguments.out, std::span(&output, 1));
  }
  if (arguments.json) {
    nlohmann::json document = nlohmann::json::array();
    for (const Row* row : ordered) document.push_back(describe(*row, arguments.top));
    return print_json(document);
  }
  if (!arguments.out.empty()) return;
  for (const Row* row : ordered) {
    const nlohmann::json facts = describe(*row, arguments.top);
    fmt::print("position {}: logsumexp {:.6f}, mean {:.6f}, std {:.6f}\n", row->position,
               facts["logsumexp"].get<double>(), facts["mean"].get<double>(), facts["std"].get<double>());
    for (std::size_t i = 0; i < facts["top_ids"].size(); ++i)
      fmt::print("{:>8}  {:.6f}\n", facts["top_ids"][i].get<std::int32_t>(), facts["top_logits"][i].get<double>());
  }
}

struct PerplexityArguments {
  std::string model, file, ids_file;
  bool json = false;
  RunOptions run;
};

std::vector<std::int32_t> read_ids_file(const std::string& path) {
  const std::string text = read_text(path);
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    return (document.is_object() ? document.at("ids") : document).get<std::vector<std::int32_t>>();
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(fmt::format("'{}' is no JSON list of token ids: {}.", path, error.what()));
  }
}

void perplexity(const PerplexityArguments& arguments) {
  if (arguments.file.empty() == arguments.ids_file.empty())
    throw CLI::ValidationError("perplexity", "one of -f and --ids must be given");
  const auto checkpoint = models::Checkpoint::open(arguments.model);
  std::vector<std::int32_t> ids;
  if (arguments.ids_file.empty()) {
    const auto tokenizer = load_tokenizer(checkpoint);
    if (tokenizer == nullptr) throw InvalidInput("The model has no tokenizer: give token ids with --ids FILE.json.");
    ids = tokenizer->encode(read_text(arguments.file), {.add_special = true});
  } else {
    ids = read_ids_file(arguments.ids_file);
  }
  if (ids.size() < 2)
    throw InvalidInput(fmt::format("The text has {} tokens; perplexity needs at least 2.", ids.size()));

  const auto device = open_device(arguments.run, selftest::Scope::Language);
  // One pass where the text fits the context, else pieces of it, each of which begins afresh.
  const auto needed = static_cast<std::uint32_t>(std::min<std::size_t>(ids.size(), llm::default_context));
  const auto session = open_session(*device, checkpoint, arguments.run, arguments.run.context.value_or(needed));
  const std::uint32_t context = session->context();
  double sum = 0;
  std::size_t scored = 0;
  for (std::size_t first = 0; first + 1 < ids.size(); first += context) {
    const auto part = std::span(ids).subspan(first, std::min<std::size_t>(context, ids.size() - first));
    session->reset();
    session->feed_all(part, [&](std::size_t i, std::span<const float> values) {
      if (i + 1 >= part.size()) return;
      sum += llm::log_sum_exp(values) - values[static_cast<std::size_t>(part[i + 1])];
      ++scored;
    });
  }
  const double nll = sum / static_cast<double>(scored);
  if (arguments.json)
    return print_json({{"tokens", ids.size()},
                       {"nll", nll},
                       {"perplexity", std::exp(nll)},
                       {"activations", graph::to_string(session->activations())},
                       {"options", arguments.run.to_json()}});
  fmt::print("{} tokens, mean negative log likelihood {:.6f}, perplexity {:.4f}\n", ids.size(), nll, std::exp(nll));
}

}  // namespace

void add_logits(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<LogitsArguments>();
  CLI::App* command = app.add_subcommand("logits", "Logits at positions of a prompt");
  add_model(*command, arguments->model);
  command->add_option("--ids", arguments->ids, "Prompt as token ids: 1,2,3")->required();
  command->add_option("--positions", arguments->positions, "Positions: 0,5,-1; negative ones count from the end")
      ->capture_default_str();
  command->add_option("--top", arguments->top, "The largest logits to show")->capture_default_str();
  command->add_option("--out", arguments->out, "Write the logits, f32 [positions, vocabulary], to a safetensors file");
  command->add_flag("--json", arguments->json, "One JSON document on standard output");
  arguments->run.add_to(*command);
  command->callback([arguments, &action] { action = [arguments] { logits(*arguments); }; });
}

void add_perplexity(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<PerplexityArguments>();
  CLI::App* command = app.add_subcommand("perplexity", "Mean negative log likelihood of a text");
  add_model(*command, arguments->model);
  command->add_option("-f,--file", arguments->file, "Text file; '-' reads standard input");
  command->add_option("--ids", arguments->ids_file, "JSON file with token ids: [1,2,3]");
  command->add_flag("--json", arguments->json, "One JSON document on standard output");
  arguments->run.add_to(*command);
  command->callback([arguments, &action] { action = [arguments] { perplexity(*arguments); }; });
}

}  // namespace driftwood::cli
