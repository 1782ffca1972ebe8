#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/image_bench.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "graph/program.h"
#include "kernels/source.h"
#include "models/language_graph.h"
#include "tuning/standard.h"
#include "tuning/stored.h"
#include "tuning/tuner.h"

namespace driftwood::cli {
namespace {

struct TuneArguments {
  std::string model;  // empty: standard shapes
  std::uint32_t prompt = 0;
  double budget = 120;
  bool json = false, dry_run = false, list = false, forget = false, processor_time = false;
  std::string out;
  ImageBench image;  // what only models for images take
  RunOptions run;
};

/// Graphs that share weights, and their part of the budget.
struct Job {
  std::string name;  // empty: of the model
  std::vector<tuning::Work> work;
  graph::WeightsProvider weights;
  double share = 1;
};

// A prompt is as long as the runs that a session divides prompts into; a token is generated after one.
std::vector<tuning::Work> stages(const llm::SessionSettings& settings, const gpu::DeviceFacts& facts,
                                 std::uint32_t vocabulary, const std::function<graph::Graph(std::uint32_t)>& graph_of) {
  const std::uint32_t tokens = settings.prefill_tokens;
  tuning::Work prefill{.stage = {.name = "prefill",
                                 .graph = graph_of(tokens),
                                 .options = settings.options,
                                 .parameters = {.tokens = tokens},
                                 .vocabulary = vocabulary}};
  tuning::Work decode{.stage = {.name = "decode",
                                .graph = graph_of(1),
                                .options = settings.options,
                                .parameters = {.tokens = 1, .position = tokens},
                                .vocabulary = vocabulary,
                                .is_joined = graph::decodes_in_one_launch(settings.options, facts)}};
  return {std::move(prefill), std::move(decode)};
}

llm::SessionSettings settings_for(const TuneArguments& arguments, const gpu::DeviceFacts& facts) {
  llm::SessionSettings settings = arguments.run.session_settings();
  settings.prefill_tokens = arguments.prompt != 0 ? arguments.prompt : facts.is_cpu ? 512 : 1024;
  settings.context = 2 * settings.prefill_tokens;
  return settings;
}

std::vector<Job> language_jobs(const TuneArguments& arguments, const models::Checkpoint& checkpoint,
                               const gpu::DeviceFacts& facts) {
  const llm::SessionSettings settings = llm::resolved(settings_for(arguments, facts), checkpoint, facts);
  Job job{.name = {},
          .work = stages(settings, facts, checkpoint.config().vocabulary,
                         [&](std::uint32_t tokens) {
                           return models::language_graph(checkpoint,
                                                         llm::graph_settings(settings, facts, tokens, false));
                         }),
          .weights = [&checkpoint](std::string_view name) { return checkpoint.find(name)->bytes; }};
  std::vector<Job> jobs;
  jobs.push_back(std::move(job));
  return jobs;
}

std::vector<Job> standard_jobs(const TuneArguments& arguments, const gpu::DeviceFacts& facts) {
  llm::SessionSettings settings = settings_for(arguments, facts);
  std::vector<Job> jobs;
  for (const tuning::StandardModel& model : tuning::standard_models()) {
    const auto graph_of = [&](std::uint32_t tokens) {
      const models::LanguageGraphSettings stored = llm::graph_settings(settings, facts, tokens, false);
      return tuning::standard_graph(model, {.max_tokens = tokens,
                                            .cache_size = stored.cache_size,
                                            .activation_type = stored.activation_type,
                                            .cache_type = stored.cache_type});
    };
    jobs.push_back({.name = std::string(model.name),
                    .work = stages(settings, facts, model.vocabulary, graph_of),
                    .weights = tuning::standard_weights(model)});
  }
  return jobs;
}

std::vector<Job> image_jobs(const TuneArguments& arguments, const models::ImageCheckpoint& checkpoint,
                            const gpu::DeviceFacts& facts) {
  diffusion::PipelineSettings settings;
  set_size(settings, checkpoint, arguments.image.size);
  settings.batch = arguments.image.guidance > 1 ? 2 : 1;
  settings.options = arguments.run.image_graph_options();
  struct Part {
    std::string name;
    models::ImageComponent component;
    double share;
  };
  std::vector<Job> jobs;
  for (const Part& part :
       {Part{"text encoder", models::ImageComponent::TextEncoder, 1}, Part{"unet", models::ImageComponent::Unet, 7},
        Part{"vae decoder", models::ImageComponent::Vae, 2}}) {
    Job job{.name = {}, .work = {}, .weights = {}, .share = part.share};
    job.work.push_back({.stage = {.name = part.name,
                                  .graph = diffusion::component_graph(checkpoint, settings, facts, part.name),
                                  .options = settings.options,
                                  .vocabulary = checkpoint.text_config().vocabulary}});
    job.weights = [&checkpoint, component = part.component](std::string_view name) {
      return checkpoint.find(component, name)->bytes;
    };
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::string shortened(const std::string& key) {
  constexpr std::size_t most = 110;
  return key.size() <= most ? key : key.substr(0, most - 3) + "...";
}

/// What could be tried: kernels of each distinct node, and their parameters.
void print_candidates(std::vector<Job> jobs, const gpu::DeviceFacts& facts, bool json) {
  nlohmann::json rows = nlohmann::json::array();
  for (Job& job : jobs) {
    for (tuning::Work& work : job.work) {
      graph::GraphOptions options = work.stage.options;
      options.choices.reset();
      const graph::LoweredGraph lowered = graph::lower(std::move(work.stage.graph), facts, options);
      std::map<graph::NodeKey, std::size_t> seen;
      for (std::size_t n = 0; n < lowered.graph.nodes().size(); ++n) {
        const graph::NodeKey key = graph::node_key(lowered.graph.nodes()[n], lowered.graph, options);
        if (seen[key]++ != 0) continue;
        nlohmann::json kernels = nlohmann::json::array();
        if (!json) fmt::print("{}: {}\n", work.stage.name, shortened(key.node));
        for (const tuning::RowOptions& row : tuning::options_of(lowered, n, facts, options)) {
          nlohmann::json parameters = nlohmann::json::object();
          if (!json) fmt::print("  {:<28}", row.kernel);
          for (const graph::ParameterUse& use : row.parameters) {
            parameters[use.name] = {{"by_rule", use.by_rule}, {"candidates", use.candidates}};
            if (!json) fmt::print(" {} {} of {{{}}}", use.name, use.by_rule, fmt::join(use.candidates, ", "));
          }
          if (!json) fmt::print("\n");
          kernels.push_back({{"kernel", row.kernel}, {"parameters", parameters}});
        }
        rows.push_back({{"stage", work.stage.name},
                        {"node", key.node},
                        {"tokens", key.tokens},
                        {"places", key.places},
                        {"kernels", kernels}});
      }
    }
  }
  if (json) print_json({{"device", facts.id}, {"nodes", rows}});
}

void print_kept(const gpu::DeviceFacts& facts, bool json) {
  const tuning::Cache cache = tuning::Cache::standard();
  const auto own = cache.load(facts);
  const tuning::ShippedTable* shipped = tuning::shipped_for(facts);
  nlohmann::json rows = nlohmann::json::array();
  const auto print = [&](const tuning::Table& table, const std::string& source, bool only_current) {
    for (const tuning::TableEntry& entry : table.entries) {
      const bool is_stale = only_current && entry.code != tuning::fingerprint(entry.modules);
      const std::string choice = entry.choice.kernel.empty() ? "by rule" : graph::to_string(entry.choice);
      if (!json) {
        fmt::print("{:<10} {:>5} {:>6} {:>10.1f} {:>10.1f}  {:<44} {}{}\n", source, entry.key.tokens, entry.key.places,
                   entry.microseconds, entry.rule_microseconds, choice, shortened(entry.key.node),
                   is_stale ? " (its kernels have changed: not used)" : "");
      }
      rows.push_back({{"source", source},
                      {"node", entry.key.node},
                      {"tokens", entry.key.tokens},
                      {"places", entry.key.places},
                      {"kernel", entry.choice.kernel},
                      {"values", entry.choice.values},
                      {"us", entry.microseconds},
                      {"rule_us", entry.rule_microseconds},
                      {"stale", is_stale}});
    }
  };
  if (!json) {
    fmt::print("{:<10} {:>5} {:>6} {:>10} {:>10}  {:<44} {}\n", "source", "tokens", "places", "us", "rule us", "choice",
               "node");
  }
  if (own) print(*own, "cache", true);
  if (shipped != nullptr) print(tuning::parse_table(shipped->text, "The shipped table"), "shipped", false);
  if (json) print_json({{"device", facts.id}, {"file", cache.file_of(facts).string()}, {"entries", rows}});
}

nlohmann::json to_json(const std::string& job, const std::string& stage, const tuning::Finding& finding) {
  nlohmann::json refused = nlohmann::json::array();
  for (const tuning::Refusal& refusal : finding.refused) {
    refused.push_back({{"kernel", refusal.choice.kernel},
                       {"values", refusal.choice.values},
                       {"why", refusal.why},
                       {"wrong", refusal.is_wrong}});
  }
  nlohmann::json row = {{"stage", stage},
                        {"node", finding.group.key.node},
                        {"tokens", finding.group.key.tokens},
                        {"places", finding.group.key.places},
                        {"calls", finding.group.nodes.size()},
                        {"kernel", finding.best.kernel},
                        {"values", finding.best.values},
                        {"rule_kernel", finding.rule.kernel},
                        {"rule_values", finding.rule.values},
                        {"us", finding.best_us},
                        {"rule_us", finding.rule_us},
                        {"gain", finding.gain},
                        {"spread", finding.spread},
                        {"tried", finding.tried},
                        {"complete", finding.is_complete},
                        {"refused", refused}};
  if (!job.empty()) row["shapes"] = job;
  return row;
}

nlohmann::json to_json(const tuning::StorageFinding& finding) {
  nlohmann::json times = nlohmann::json::object();
  for (const auto& [kind, ms] : finding.milliseconds) times[std::string(to_string(kind))] = ms;
  return {{"stage", finding.stage}, {"kind", to_string(finding.best)}, {"ms", times}, {"refused", finding.refused}};
}

std::string summary(const tuning::StorageFinding& finding) {
  std::string text = fmt::format("{}: activations in a {}", finding.stage, to_string(finding.best));
  for (const auto& [kind, ms] : finding.milliseconds) {
    text += fmt::format("{}{} {:.3f} ms", kind == StorageKind::Buffer ? ": " : ", ", to_string(kind), ms);
  }
  for (const std::string& refused : finding.refused) text += "; refused: " + refused;
  return text;
}

void print_finding(const std::string& stage, const tuning::Finding& finding) {
  fmt::print("{:<12} {:<38} {:>5} {:>10.1f} {:>10.1f} {:>7.1f}% {:>5}  {}{}\n", stage, finding.title,
             finding.group.nodes.size(), finding.best_us, finding.rule_us, 100 * finding.gain, finding.tried,
             finding.is_better() ? "" : "rule: ", graph::to_string(finding.best));
}

void warn_of(const tuning::Finding& finding) {
  for (const tuning::Refusal& refusal : finding.refused) {
    if (!refusal.is_wrong) continue;
    log(LogLevel::Warning,
        fmt::format("'{}' is refused for '{}': it {}.", graph::to_string(refusal.choice), finding.node, refusal.why));
  }
}

/// How much slower the rules are in all.
std::string summary(const tuning::WholeRun& run) {
  return fmt::format(
      "{}: {:.3f} ms as tuned, {:.3f} ms by the rules: {:+.1f} % (spread {:.1f} %); {} of {} nodes tuned{}", run.stage,
      run.tuned_ms, run.rule_ms, 100 * run.gain, 100 * run.spread, run.tuned_nodes, run.nodes,
      run.loses() ? ", and left to the rules" : "");
}

/// Adds entries to a table for the binary, which holds what is better than the rules alone.
void add_to_file(const std::string& path, const tuning::Table& measured) {
  tuning::Table table = measured;
  if (std::filesystem::exists(path)) {
    table = tuning::parse_table(read_text(path), fmt::format("The table '{}'", path));
    if (!table.device.empty() && table.device != measured.device) {
      throw InvalidInput(
          fmt::format("The table '{}' is of the device '{}', not of '{}'.", path, table.device, measured.device));
    }
    table.device = measured.device;
    table.api = measured.api;
    table.driver = measured.driver;
    for (const tuning::TableEntry& entry : measured.entries) table.set(entry);
  }
  std::erase_if(table.entries, [](const tuning::TableEntry& entry) { return entry.choice.kernel.empty(); });
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << tuning::to_text(table);
  file.flush();
  if (!file) throw InvalidInput(fmt::format("The table '{}' cannot be written.", path));
}

void measure(std::vector<Job> jobs, gpu::Device& device, const TuneArguments& arguments) {
  const gpu::DeviceFacts& facts = device.facts();
  tuning::Table table{.device = facts.name, .api = facts.api, .driver = facts.driver};
  nlohmann::json storage = nlohmann::json::array(), nodes = nlohmann::json::array(), whole = nlohmann::json::array(),
                 skipped = nlohmann::json::array();
  double shares = 0, spent = 0;
  for (const Job& job : jobs) shares += job.share;
  if (!arguments.json) {
    fmt::print("{:<12} {:<38} {:>5} {:>10} {:>10} {:>8} {:>5}  {}\n", "stage", "node", "calls", "us", "rule us", "gain",
               "tried", "choice");
  }
  for (Job& job : jobs) {
    const tuning::Shared shared{std::make_shared<graph::ResourceStore>(device, job.weights),
                                std::make_shared<graph::KernelCache>(device, kernels::source)};
    ProgressLine progress("tuning");
    tuning::TunerSettings settings{.budget_seconds = std::max((arguments.budget - spent) * job.share / shares, 1.0)};
    if (arguments.processor_time) settings.time = tuning::TimeOf::Processors;
    settings.progress = [&](double done, double all, const std::string& what) {
      progress.update(static_cast<std::size_t>(std::min(spent + done, arguments.budget - 1)),
                      static_cast<std::size_t>(arguments.budget),
                      "s " + (job.name.empty() ? what : job.name + ", " + what));
      (void)all;
    };
    tuning::Tuned tuned = tuning::tune(device, std::move(job.work), shared, settings);
    progress.update(1, 1);
    spent += tuned.seconds;
    shares -= job.share;
    for (const auto& [stage, finding] : tuned.findings) {
      warn_of(finding);
      nodes.push_back(to_json(job.name, stage, finding));
      if (!arguments.json) print_finding(stage, finding);
    }
    for (const tuning::StorageFinding& finding : tuned.storage) {
      storage.push_back(to_json(finding));
      if (!arguments.json) fmt::print("{}\n", summary(finding));
    }
    for (const tuning::TableEntry& entry : tuned.table(facts).entries) table.set(entry);
    for (const std::string& line : tuned.skipped) skipped.push_back(line);
    for (const tuning::WholeRun& run : tuned.whole) {
      if (!arguments.json) fmt::print("{}\n", summary(run));
      whole.push_back({{"stage", run.stage},
                       {"shapes", job.name},
                       {"tuned_ms", run.tuned_ms},
                       {"rule_ms", run.rule_ms},
                       {"gain", run.gain},
                       {"spread", run.spread},
                       {"nodes", run.nodes},
                       {"tuned_nodes", run.tuned_nodes},
                       {"left_to_rules", run.loses()}});
    }
    std::fflush(stdout);
  }
  std::string kept;
  if (!arguments.out.empty()) {
    add_to_file(arguments.out, table);
    kept = arguments.out;
  } else if (tuning::Cache::standard().store(facts, table)) {
    kept = tuning::Cache::standard().file_of(facts).string();
  }
  if (arguments.json) {
    print_json({{"device", facts.id},
                {"name", facts.name},
                {"driver", facts.driver},
                {"seconds", spent},
                {"budget", arguments.budget},
                {"nodes", nodes},
                {"storage", storage},
                {"whole", whole},
                {"skipped", skipped},
                {"kept", kept},
                {"options", arguments.run.to_json()}});
    return;
  }
  fmt::print("{} nodes in {:.0f} s, {} more took too little time or were left out; {}\n", nodes.size(), spent,
             skipped.size(), kept.empty() ? "kept nowhere: there is no cache folder" : "kept in " + kept);
}

void tune(const TuneArguments& arguments) {
  const bool is_image = !arguments.model.empty() && models::ImageCheckpoint::recognizes(arguments.model);
  const bool runs = !arguments.dry_run && !arguments.list && !arguments.forget;
  if (arguments.run.limits() != nullptr) {
    throw CLI::ValidationError("tune",
                               "a device with --limits is another one: what is measured on it would be kept "
                               "for the whole device");
  }
  const auto scope = is_image ? selftest::Scope::Images : selftest::Scope::Language;
  const auto device = open_device(arguments.run, runs ? std::optional(scope) : std::nullopt);
  const gpu::DeviceFacts& facts = device->facts();
  if (arguments.processor_time && !facts.is_cpu) {
    throw CLI::ValidationError("--processor-time", fmt::format("the device '{}' is no CPU", facts.id));
  }
  if (arguments.list) return print_kept(facts, arguments.json);
  if (arguments.forget) {
    const bool had_some = tuning::Cache::standard().forget(facts);
    if (arguments.json) return print_json({{"device", facts.id}, {"forgotten", had_some}});
    fmt::print("{}\n", had_some ? "What was measured on the device is forgotten." : "Nothing is kept of the device.");
    return;
  }
  std::optional<models::ImageCheckpoint> image;
  std::optional<models::Checkpoint> language;
  std::vector<Job> jobs;
  if (is_image) {
    image = models::ImageCheckpoint::open(arguments.model);
    jobs = image_jobs(arguments, *image, facts);
  } else if (!arguments.model.empty()) {
    language = models::Checkpoint::open(arguments.model);
    jobs = language_jobs(arguments, *language, facts);
  } else {
    jobs = standard_jobs(arguments, facts);
  }
  if (arguments.dry_run) return print_candidates(std::move(jobs), facts, arguments.json);
  measure(std::move(jobs), *device, arguments);
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<TuneArguments>();
  CLI::App* command = app.add_subcommand(
      "tune", "Measure kernels and how they are cut into workgroups on a device, and keep what is the fastest");
  command->add_option("MODEL", arguments->model, any_model_help + " (default: shapes of common language models)");
  command->add_option("-p", arguments->prompt, "Tokens of a prompt (default: those of one run of a long prompt)")
      ->check(CLI::Range(1u, 1u << 16));
  command->add_option("--budget", arguments->budget, "Seconds that the search may take")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
  command->add_flag("--processor-time", arguments->processor_time,
                    "Count the time of a CPU's processors instead of that on the clock: where others use them too");
  command->add_flag("--dry-run", arguments->dry_run, "Show what would be tried, and measure nothing");
  command->add_flag("--list", arguments->list, "Show what is kept of the device");
  command->add_flag("--forget", arguments->forget, "Remove what was measured on the device");
  command->add_option("--out", arguments->out,
                      "Add what is better than the rules to this table, instead of keeping it on this computer");
  command->add_flag("--json", arguments->json, "One JSON document on standard output");
  CLI::Option_group* images = command->add_option_group("Models for images");
  images->add_option("--size", arguments->image.size, "WIDTHxHEIGHT in pixels (default: the model's)");
  images->add_option("--guidance", arguments->image.guidance, "Over 1: both halves of guidance in one batch")
      ->capture_default_str();
  arguments->run.add_to(*command, false);
  arguments->run.add_kv_type_to(*command);
  arguments->run.add_decode_launches_to(*command);
  command->callback([arguments, &action] { action = [arguments] { tune(*arguments); }; });
}

}  // namespace driftwood::cli
