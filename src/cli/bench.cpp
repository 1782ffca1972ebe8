#include <fmt/format.h>

#include "base/error.h"
#include "base/stopwatch.h"
#include "cli/bench_output.h"
#include "cli/command.h"
#include "cli/image_bench.h"
#include "cli/options.h"
#include "llm/decoding.h"

namespace driftwood::cli {
namespace {

struct BenchArguments {
  std::string model;
  std::uint32_t prompt = 512, generate = 128, depth = 0, repetitions = 5;
  std::string output = "md";
  ImageBench image;  // what only models for images take
  RunOptions run;
};

struct Test {
  std::uint32_t prompt, generate, depth;
  std::vector<double> seconds = {};
  std::vector<double> host_ms = {};  // in which the host did not wait for the device
  bool on_device = false;            // chooses its tokens there

  double host_ms_per_token() const { return mean(host_ms) / tokens(); }
  std::string_view sampling() const { return generate == 0 ? "none" : on_device ? "device" : "host"; }
  std::uint32_t tokens() const { return prompt + generate; }
  std::string name() const {
    std::string name = prompt != 0 ? fmt::format("pp{}", prompt) : fmt::format("tg{}", generate);
    return depth == 0 ? name : fmt::format("{} @ d{}", name, depth);
  }
  std::vector<double> rates() const {
    std::vector<double> rates;
    for (const double s : seconds) rates.push_back(tokens() / s);
    return rates;
  }
};

/// Tokens that differ, so that no cache makes one run unlike another.
std::vector<std::int32_t> some_tokens(std::uint32_t count, std::uint32_t vocabulary) {
  std::vector<std::int32_t> ids(count);
  std::uint64_t state = 1;
  for (std::int32_t& id : ids) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    id = static_cast<std::int32_t>((state >> 33) % vocabulary);
  }
  return ids;
}

void run_once(llm::Session& session, llm::SamplingPlace sampling, Test& test) {
  session.reset();
  if (test.depth != 0) session.feed(some_tokens(test.depth, session.vocabulary()));
  llm::Sampler greedy({.temperature = 0});
  const auto decoding = test.generate != 0 ? llm::make_decoding(session, greedy, {}, sampling) : nullptr;
  test.on_device = decoding != nullptr && decoding->is_on_device();
  const double waited_before = session.waited_ms();
  const Stopwatch watch;
  if (test.prompt != 0) session.feed(some_tokens(test.prompt, session.vocabulary()));
  // Each token is chosen from the logits of the one before and comes to the host, as in a real generation.
  std::int32_t token = 0;
  for (std::uint32_t i = 0; i < test.generate; ++i) token = decoding->after(token, test.generate - i);
  test.seconds.push_back(watch.seconds());
  test.host_ms.push_back(1e3 * test.seconds.back() - (session.waited_ms() - waited_before));
}

nlohmann::json to_json(const Test& test, const BenchArguments& arguments, const models::Checkpoint& checkpoint,
                       const gpu::DeviceFacts& facts, const llm::Session& session) {
  const graph::MemoryReport memory = session.memory();
  nlohmann::json row = timings(test.seconds, test.rates());
  row.update({{"model_filename", checkpoint.path().string()},
              {"model_type", checkpoint.name()},
              {"model_size", checkpoint.tensors().total_bytes()},
              {"model_n_params", checkpoint.tensors().total_values()},
              {"backends", facts.api},
              {"gpu_info", facts.name},
              {"driver", facts.driver},
              {"device", facts.id},
              {"n_prompt", test.prompt},
              {"n_gen", test.generate},
              {"n_depth", test.depth},
              {"type_k", to_string(session.cache_type())},
              {"type_v", to_string(session.cache_type())},
              {"weights_bytes", memory.weights},
              {"planned_bytes", memory.activations_planned},
              {"naive_bytes", memory.activations_naive},
              {"sampling", test.sampling()},
              {"host_ms_per_token", test.host_ms_per_token()},
              {"activations", graph::to_string(session.activations())},
              {"options", arguments.run.to_json()}});
  return row;
}

void print(const std::vector<Test>& tests, const std::vector<nlohmann::json>& rows, const BenchArguments& arguments,
           const models::Checkpoint& checkpoint, const gpu::DeviceFacts& facts) {
  if (print_rows(rows, arguments.output)) return;
  fmt::print("| model | size | params | backend | test | t/s |\n| --- | ---: | ---: | --- | ---: | ---: |\n");
  for (const Test& test : tests)
    fmt::print("| {} | {:.2f} MiB | {:.2f} M | {} | {} | {:.2f} ± {:.2f} |\n", checkpoint.name(),
               static_cast<double>(checkpoint.tensors().total_bytes()) / (1 << 20),
               static_cast<double>(checkpoint.tensors().total_values()) / 1e6, facts.api, test.name(),
               mean(test.rates()), deviation(test.rates()));
  const nlohmann::json& row = rows.front();
  fmt::print(
      "\n{} on {}; weights {:.1f} MiB, KV cache in {}, activations {:.2f} MiB planned of {:.2f} MiB naive, as {}; "
      "options "
      "{}\n",
      facts.id, facts.name, row["weights_bytes"].get<double>() / (1 << 20), row["type_k"].get<std::string>(),
      row["planned_bytes"].get<double>() / (1 << 20), row["naive_bytes"].get<double>() / (1 << 20),
      row["activations"].get<std::string>(), arguments.run.to_json().dump());
  for (const Test& test : tests)
    if (test.generate != 0)
      fmt::print("{}: tokens chosen on the {}; the host is busy for {:.3f} ms a token\n", test.name(), test.sampling(),
                 test.host_ms_per_token());
}

void bench(const BenchArguments& arguments) {
  if (models::ImageCheckpoint::recognizes(arguments.model)) {
    ImageBench image = arguments.image;
    image.model = arguments.model;
    image.repetitions = arguments.repetitions;
    image.output = arguments.output;
    image.run = arguments.run;
    return bench_image(image);
  }
  if (arguments.prompt == 0 && arguments.generate == 0)
    throw CLI::ValidationError("bench", "-p and -n are both 0: there is nothing to measure");
  const auto checkpoint = models::Checkpoint::open(arguments.model);
  const auto device = open_device(arguments.run, selftest::Scope::Language);
  const std::uint64_t needed = std::uint64_t{arguments.depth} + std::max(arguments.prompt, arguments.generate);
  if (needed > 1u << 24)
    throw InvalidInput(fmt::format("The {} tokens asked for are over the limit of {}.", needed, 1u << 24));
  const auto session = open_session(*device, checkpoint, arguments.run, static_cast<std::uint32_t>(needed));
  std::vector<Test> tests;
  if (arguments.prompt != 0) tests.push_back({arguments.prompt, 0, arguments.depth});
  if (arguments.generate != 0) tests.push_back({0, arguments.generate, arguments.depth});
  std::vector<nlohmann::json> rows;
  const llm::SamplingPlace sampling = arguments.run.sampling_place();
  for (Test& test : tests) {
    Test warming = test;
    run_once(*session, sampling, warming);  // compiles what is compiled at first use, and warms caches
    for (std::uint32_t i = 0; i < arguments.repetitions; ++i) run_once(*session, sampling, test);
    rows.push_back(to_json(test, arguments, checkpoint, device->facts(), *session));
  }
  print(tests, rows, arguments, checkpoint, device->facts());
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command =
      app.add_subcommand("bench", "Speed of prefill and decode, or of making a picture, warmed up, mean and spread");
  add_model(*command, arguments->model, any_model_help);
  command->add_option("-p", arguments->prompt, "Tokens of the prompt; 0: no prefill test")
      ->check(CLI::Range(0u, 1u << 20))
      ->capture_default_str();
  command->add_option("-n", arguments->generate, "Tokens to generate; 0: no decode test")
      ->check(CLI::Range(0u, 1u << 20))
      ->capture_default_str();
  command->add_option("-d", arguments->depth, "Tokens in the cache before each test")
      ->check(CLI::Range(0u, 1u << 20))
      ->capture_default_str();
  command->add_option("-r", arguments->repetitions, "Repetitions")->check(CLI::Range(1u, 1000u))->capture_default_str();
  command->add_option("-o", arguments->output, "Output: md, json, jsonl or csv")
      ->check(CLI::IsMember({"md", "json", "jsonl", "csv"}))
      ->capture_default_str();
  CLI::Option_group* images = command->add_option_group("Models for images");
  images->add_option("--steps", arguments->image.steps, "Steps of the scheduler")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  images->add_option("--size", arguments->image.size, "WIDTHxHEIGHT in pixels (default: the model's)");
  images->add_option("--guidance", arguments->image.guidance, "Over 1: both halves of guidance in one batch")
      ->capture_default_str();
  images->add_option("--scheduler", arguments->image.scheduler, "The scheduler (default: the model's own)")
      ->check(CLI::IsMember(scheduler_names()));
  arguments->image.image.add_to(*images);
  arguments->run.add_to(*command, false);
  arguments->run.add_kv_type_to(*command);
  arguments->run.add_sampling_to(*command);
  command->callback([arguments, &action] { action = [arguments] { bench(*arguments); }; });
}

}  // namespace driftwood::cli
