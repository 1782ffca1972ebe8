#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "cli/ablate_output.h"
#include "cli/bench_output.h"
#include "cli/command.h"
#include "cli/image_bench.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "gpu/registry.h"
#include "graph/passes/pass.h"
#include "graph/selection.h"
#include "measure/ablation/access.h"
#include "measure/ablation/first_token.h"
#include "measure/ablation/lab.h"

namespace driftwood::cli {
namespace {

struct AblateArguments {
  std::string model;
  std::uint32_t prompt = 128, generate = 16, repeats = 11, start_repeats = 3;
  double least_ms = 20, most_seconds = 60;
  std::string clock = "wall";
  std::vector<std::string> only;
  ImageBench image;  // what only models for images take
  bool json = false;
  RunOptions run;
};

std::vector<std::string_view> technique_names() {
  std::vector<std::string_view> names;
  for (const measure::TechniqueGroup& group : measure::technique_groups()) names.push_back(group.name);
  return names;
}

std::string group_names() {
  std::vector<std::string> names;
  for (const measure::TechniqueGroup& group : measure::technique_groups()) {
    names.push_back(fmt::format("{} ({})", group.name, group.about));
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

bool is_group(std::string_view name) {
  const auto groups = measure::technique_groups();
  return std::ranges::find(groups, name, &measure::TechniqueGroup::name) != groups.end();
}

/// Empty for the name of a group, a pass, a kernel or another technique; else why it is none.
std::string check_technique(const std::string& name) {
  static constexpr std::string_view others[] = {"all-fusions", "integer-activations", "kv-type", "kv-layout",
                                                "all-special-kernels"};
  const bool is_pass = std::ranges::find(graph::passes(), name, &graph::Pass::name) != graph::passes().end();
  const bool is_other = std::ranges::find(others, name) != std::end(others);
  if (is_group(name) || is_pass || is_other || !graph::operation_of(name).empty()) return {};
  return fmt::format("'{}' is no technique: there are {}, {}, passes (--no-fusion) and kernels (--no-kernel)", name,
                     fmt::join(technique_names(), ", "), fmt::join(others, ", "));
}

class Ablation {
 public:
  explicit Ablation(const AblateArguments& arguments) : arguments_(arguments) {
    if (models::ImageCheckpoint::recognizes(arguments.model)) {
      images_ = models::ImageCheckpoint::open(arguments.model);
    } else {
      language_ = models::Checkpoint::open(arguments.model);
    }
  }

  void run() {
    device_ = open_device(arguments_.run, images_ ? selftest::Scope::Images : selftest::Scope::Language);
    if (!arguments_.json) print_ablation_head();
    if (wants("virtualised-access")) access();
    programs();
    if (wants("program-cache")) first_token();
    if (arguments_.json) print_document();
  }

 private:
  bool wants(std::string_view group) const {
    return arguments_.only.empty() || std::ranges::find(arguments_.only, group) != arguments_.only.end();
  }

  void add(const measure::Comparison& comparison, const std::string& group) {
    if (!arguments_.json) print_ablation(comparison);
    rows_.push_back(ablation_json(comparison, group));
  }

  void skip(const std::string& group, const std::string& why) {
    log(LogLevel::Info, fmt::format("{}: {}", group, why));
    skipped_.push_back({{"group", group}, {"reason", why}});
  }

  measure::TurnSettings turns(std::uint32_t repeats, ProgressLine& progress) const {
    return {.repeats = repeats,
            .clock = arguments_.clock == "wall" ? measure::Clock::Wall : measure::Clock::Processor,
            .least_ms = arguments_.least_ms,
            .most_seconds = arguments_.most_seconds,
            .progress = [&progress](std::size_t done, std::size_t all) { progress.update(done, all); }};
  }

  // The device as it is opened, since it must take what is written by hand.
  void access() {
    ProgressLine progress("virtualised access");
    const auto bare = gpu::open_device(device_->facts().id);
    measure::AccessSettings settings;
    settings.turns = turns(arguments_.repeats * 2, progress);
    settings.is_small = device_->facts().device_class == gpu::DeviceClass::Reference;
    settings.done = [&](const measure::Comparison& comparison) { add(comparison, "virtualised-access"); };
    settings.skipped = [&](const std::string& why) { skip("virtualised-access", why); };
    measure::compare_access(*bare, settings);
  }

  void programs() {
    const auto is_of_programs = [](const std::string& name) {
      return name != "virtualised-access" && name != "program-cache";
    };
    if (!arguments_.only.empty() && std::ranges::none_of(arguments_.only, is_of_programs)) return;
    // Single techniques are looked for in all groups.
    const bool has_single = !std::ranges::all_of(arguments_.only, is_group);
    const std::vector<std::string> groups = has_single ? std::vector<std::string>() : arguments_.only;
    const std::unique_ptr<measure::Subject> subject = make_subject();
    ProgressLine compiling("preparing kernels");
    measure::Lab lab(*device_, *subject,
                     [&compiling](std::size_t done, std::size_t all) { compiling.update(done, all); });
    measure::Setting base{.options = images_ ? arguments_.run.image_graph_options() : arguments_.run.graph_options()};
    base.cache_type = arguments_.run.session_settings().cache_type;
    for (std::size_t stage = 0; stage < subject->stages().size(); ++stage) {
      for (const measure::Technique& technique : measure::techniques(*subject, stage, device_->facts(), base, groups)) {
        if (!wants(technique.group) && !wants(technique.name)) continue;
        const std::string what = fmt::format("{}, {}", technique.name, subject->stages()[stage].name);
        ProgressLine progress(what);
        try {
          add(lab.compare(technique, stage, turns(arguments_.repeats, progress)), technique.group);
        } catch (const Error& error) {  // of one side: the others can still be measured
          if (error.kind() == ErrorKind::DeviceLost) throw;
          skip(technique.group,
               fmt::format("{} against {} ({}): {}", technique.on, technique.off, what, error.message()));
        }
      }
    }
  }

  std::unique_ptr<measure::Subject> make_subject() const {
    if (language_) {
      return measure::language_subject(*device_, *language_, arguments_.run.session_settings(), arguments_.prompt,
                                       arguments_.generate);
    }
    diffusion::PipelineSettings settings;
    set_size(settings, *images_, arguments_.image.size);
    settings.batch = arguments_.image.guidance > 1 ? 2 : 1;
    settings.options = arguments_.run.image_graph_options();
    arguments_.image.image.apply(settings);
    return measure::image_subject(*device_, *images_, settings);
  }

  void first_token() {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return skip("program-cache", "this system does not say where the program is, which must start itself.");
    if (device_->facts().device_class == gpu::DeviceClass::Reference)
      return skip("program-cache", "the reference compiles nothing.");
    std::vector<std::string> arguments;
    if (images_) {
      arguments = {"image", arguments_.model, "-p", "a", "--steps", "1", "-o", "/dev/null"};
      if (!arguments_.image.size.empty()) arguments.insert(arguments.end(), {"--size", arguments_.image.size});
    } else {
      arguments = {"run", arguments_.model, "--ids", "1", "-n", "1", "--ignore-eos"};
    }
    // The self-test of a first start has its own time.
    arguments.insert(arguments.end(), {"--no-selftest", "--device", device_->facts().id});
    ProgressLine progress("starting processes");
    for (const measure::Comparison& comparison : measure::compare_first_token(
             {.program = self, .arguments = arguments, .turns = turns(arguments_.start_repeats, progress)})) {
      add(comparison, "program-cache");
    }
  }

  void print_document() const {
    const gpu::DeviceFacts& facts = device_->facts();
    nlohmann::json options = arguments_.run.to_json();
    options["repeats"] = arguments_.repeats;
    options["start_repeats"] = arguments_.start_repeats;
    options["least_ms"] = arguments_.least_ms;
    options["most_seconds"] = arguments_.most_seconds;
    options["clock"] = arguments_.clock;
    options["only"] = arguments_.only;
    if (language_) {
      options["n_prompt"] = arguments_.prompt;
      options["n_gen"] = arguments_.generate;
    } else {
      options["size"] = arguments_.image.size;
      options["guidance"] = arguments_.image.guidance;
    }
    print_json({{"model", language_ ? language_->name() : images_->name()},
                {"model_filename", arguments_.model},
                {"version", DRIFTWOOD_VERSION},
                {"test_time", time_now()},
                {"device", facts.id},
                {"name", facts.name},
                {"api", facts.api},
                {"driver", facts.driver},
                {"options", std::move(options)},
                {"rows", rows_},
                {"skipped", skipped_}});
  }

  const AblateArguments& arguments_;
  std::optional<models::Checkpoint> language_;
  std::optional<models::ImageCheckpoint> images_;
  std::unique_ptr<gpu::Device> device_;
  nlohmann::json rows_ = nlohmann::json::array(), skipped_ = nlohmann::json::array();
};

}  // namespace

void add_ablate(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<AblateArguments>();
  CLI::App* command = app.add_subcommand(
      "ablate",
      "What each technique is worth on this device: on and off in turns (A B, B A, ...), medians, and the ratio of "
      "neighbouring times with an interval that holds its median with 95 % confidence, or as many as the repeats give");
  add_model(*command, arguments->model, any_model_help);
  command
      ->add_option(
          "--only", arguments->only,
          "Techniques to measure (repeatable), by group, or a pass or kernel by its name. Groups: " + group_names())
      ->check(CLI::Validator(check_technique, "NAME"));
  command->add_option("-r,--repeats", arguments->repeats, "Times that each side is measured")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  command
      ->add_option("--start-repeats", arguments->start_repeats,
                   "Times that processes are started with and without compiled programs on disk")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  command->add_option("--least-ms", arguments->least_ms, "Milliseconds that a measurement takes at least")
      ->check(CLI::Range(0.0, 60000.0))
      ->capture_default_str();
  command
      ->add_option("--most-seconds", arguments->most_seconds,
                   "Seconds that a comparison takes at most, after three times of each side")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  command
      ->add_option("--clock", arguments->clock,
                   "wall: time as it passes; processor: that this process has of the processors, for devices that are "
                   "the CPU of a machine that others use too")
      ->check(CLI::IsMember({"wall", "processor"}))
      ->capture_default_str();
  command->add_option("-p", arguments->prompt, "Tokens of the prompt, and in the cache when decoding")
      ->check(CLI::Range(1u, 1u << 16))
      ->capture_default_str();
  command->add_option("-n", arguments->generate, "Tokens that are decoded in a measurement")
      ->check(CLI::Range(1u, 1u << 12))
      ->capture_default_str();
  CLI::Option_group* images = command->add_option_group("Models for images");
  images->add_option("--size", arguments->image.size, "WIDTHxHEIGHT in pixels (default: the model's)");
  images->add_option("--guidance", arguments->image.guidance, "Over 1: both halves of guidance in one batch")
      ->capture_default_str();
  arguments->image.image.add_to(*images);
  command->add_flag("--json", arguments->json, "One JSON document on standard output");
  arguments->run.add_to(*command, false);
  arguments->run.add_kv_type_to(*command);
  command->callback([arguments, &action] { action = [arguments] { Ablation(*arguments).run(); }; });
}

}  // namespace driftwood::cli
