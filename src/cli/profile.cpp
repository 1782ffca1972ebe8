#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/stopwatch.h"
#include "cli/command.h"
#include "cli/image_bench.h"
#include "cli/options.h"

namespace driftwood::cli {
namespace {

struct ProfileArguments {
  std::string model;
  std::uint32_t prompt = 128, generate = 16;
  std::uint32_t top = 0;
  ImageBench image;  // what only models for images take
  bool json = false;
  RunOptions run;
};

struct Line {
  std::size_t calls = 0;
  double nanoseconds = 0, bytes = 0, flops = 0;
};

/// Sums dispatches by kernel; the wall time beside them shows what launching and reading back cost.
void add(std::map<std::string, Line>& lines, const std::vector<graph::DispatchProfile>& profile) {
  for (const graph::DispatchProfile& dispatch : profile) {
    Line& line = lines[std::string(dispatch.kernel)];
    line.calls += 1;
    line.nanoseconds += dispatch.nanoseconds;
    line.bytes += dispatch.bytes;
    line.flops += dispatch.flops;
  }
}

nlohmann::json report(const std::string& stage, const std::map<std::string, Line>& lines, double wall_ms, bool json) {
  double total = 0;
  for (const auto& [name, line] : lines) total += line.nanoseconds;
  std::vector<std::pair<std::string, Line>> sorted(lines.begin(), lines.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) { return a.second.nanoseconds > b.second.nanoseconds; });
  nlohmann::json rows = nlohmann::json::array();
  if (!json)
    fmt::print(
        "{}: {:.3f} ms in kernels, {:.3f} ms on the clock without profiling\n{:<24}{:>8}{:>12}{:>10}{:>12}{:>9}\n",
        stage, total / 1e6, wall_ms, "kernel", "calls", "ms", "GB/s", "GFLOP/s", "share");
  for (const auto& [name, line] : sorted) {
    const double share = line.nanoseconds / total;
    if (!json)
      fmt::print("{:<24}{:>8}{:>12.3f}{:>10.1f}{:>12.1f}{:>8.1f}%\n", name, line.calls, line.nanoseconds / 1e6,
                 line.bytes / line.nanoseconds, line.flops / line.nanoseconds, 100 * share);
    rows.push_back({{"kernel", name},
                    {"calls", line.calls},
                    {"ms", line.nanoseconds / 1e6},
                    {"gb_per_s", line.bytes / line.nanoseconds},
                    {"gflop_per_s", line.flops / line.nanoseconds},
                    {"share", share}});
  }
  return {{"stage", stage}, {"kernels_ms", total / 1e6}, {"wall_ms", wall_ms}, {"kernels", rows}};
}

double wall_ms(graph::Program& program, const graph::Parameters& parameters) {
  double best = 1e300;
  for (int i = 0; i < 5; ++i) {
    const Stopwatch watch;
    program.run(parameters);
    program.device().finish();
    best = std::min(best, watch.milliseconds());
  }
  return best;
}

/// The slowest dispatches one by one.
void print_slowest(std::vector<graph::DispatchProfile> profile, std::uint32_t count) {
  std::ranges::sort(profile, [](const auto& a, const auto& b) { return a.nanoseconds > b.nanoseconds; });
  profile.resize(std::min<std::size_t>(profile.size(), count));
  for (const graph::DispatchProfile& dispatch : profile) {
    fmt::print("{:<24}{:>12.3f}{:>10.1f}{:>12.1f}  {}\n", dispatch.kernel, dispatch.nanoseconds / 1e6,
               dispatch.bytes / dispatch.nanoseconds, dispatch.flops / dispatch.nanoseconds, dispatch.label);
  }
}

/// Each component of a model for images, its program run once.
void profile_image(const ProfileArguments& arguments) {
  const auto checkpoint = models::ImageCheckpoint::open(arguments.model);
  ImageBench settings = arguments.image;
  settings.run = arguments.run;
  settings.steps = 1;
  const auto device = open_device(arguments.run, selftest::Scope::Images);
  const auto pipeline = run_once(settings, checkpoint, *device);  // inputs filled, kernels warm
  nlohmann::json stages = nlohmann::json::array();
  for (const auto& [name, program] : pipeline->programs()) {
    const graph::Parameters whole{.tokens = program->max_tokens()};
    const std::vector<graph::DispatchProfile> dispatches = program->run_profiled(whole);
    std::map<std::string, Line> lines;
    add(lines, dispatches);
    stages.push_back(report(std::string(name), lines, wall_ms(*program, whole), arguments.json));
    if (!arguments.json) print_slowest(dispatches, arguments.top);
  }
  if (arguments.json)
    print_json({{"device", device->facts().id}, {"stages", stages}, {"options", arguments.run.to_json()}});
}

void profile(const ProfileArguments& arguments) {
  if (models::ImageCheckpoint::recognizes(arguments.model)) return profile_image(arguments);
  const auto checkpoint = models::Checkpoint::open(arguments.model);
  const auto device = open_device(arguments.run, selftest::Scope::Language);
  const auto session =
      open_session(*device, checkpoint, arguments.run, arguments.prompt + arguments.generate, arguments.prompt);
  const std::vector<std::int32_t> ids(arguments.prompt, 1);
  session->feed(ids);  // warm
  std::map<std::string, Line> prefill, decode;
  nlohmann::json stages = nlohmann::json::array();
  const graph::Parameters whole{.tokens = arguments.prompt, .position = 0};
  session->prefill_program().write("ids", std::as_bytes(std::span(ids)));  // fed in chunks, it holds but the last
  add(prefill, session->prefill_program().run_profiled(whole));
  stages.push_back(report(fmt::format("prefill of {} tokens", arguments.prompt), prefill,
                          wall_ms(session->prefill_program(), whole), arguments.json));
  session->feed(std::span(ids).first(1));
  double decode_wall = 0;
  for (std::uint32_t i = 0; i < arguments.generate; ++i) {
    const graph::Parameters next{.tokens = 1, .position = arguments.prompt + i};
    add(decode, session->decode_program().run_profiled(next));
    decode_wall += wall_ms(session->decode_program(), next);
  }
  stages.push_back(report(fmt::format("decode of {} tokens", arguments.generate), decode, decode_wall, arguments.json));
  if (arguments.json)
    print_json({{"device", device->facts().id}, {"stages", stages}, {"options", arguments.run.to_json()}});
}

}  // namespace

void add_profile(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ProfileArguments>();
  CLI::App* command = app.add_subcommand("profile", "Where the time goes, by kernel");
  add_model(*command, arguments->model, any_model_help);
  command->add_option("-p", arguments->prompt, "Tokens of the prompt")
      ->check(CLI::Range(1u, 1u << 16))
      ->capture_default_str();
  command->add_option("-n", arguments->generate, "Tokens to generate")
      ->check(CLI::Range(1u, 1u << 16))
      ->capture_default_str();
  CLI::Option_group* images = command->add_option_group("Models for images");
  images->add_option("--size", arguments->image.size, "WIDTHxHEIGHT in pixels (default: the model's)");
  images->add_option("--guidance", arguments->image.guidance, "Over 1: both halves of guidance in one batch")
      ->capture_default_str();
  images->add_option("--top", arguments->top, "Also list the N slowest dispatches of each component");
  arguments->image.image.add_to(*images);
  command->add_flag("--json", arguments->json, "One JSON document on standard output");
  arguments->run.add_to(*command, false);
  arguments->run.add_kv_type_to(*command);
  command->callback([arguments, &action] { action = [arguments] { profile(*arguments); }; });
}

}  // namespace driftwood::cli
