#include "measure/profile.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "cli/command.h"
#include "cli/image_bench.h"
#include "cli/options.h"
#include "cli/profile_output.h"
#include "cli/progress.h"
#include "measure/chrome_trace.h"
#include "measure/output_file.h"
#include "measure/roofline.h"

namespace driftwood::cli {
namespace {

struct ProfileArguments {
  std::string model;
  std::uint32_t prompt = 128, generate = 16, repeats = 3;
  std::uint32_t top = 0;
  std::string trace, roofline;
  ImageBench image;  // what only models for images take
  bool again = false, json = false;
  RunOptions run;
};

/// The files asked for, which are tried before anything is measured.
struct Files {
  std::optional<measure::OutputFile> trace, roofline;

  explicit Files(const ProfileArguments& arguments) {
    if (!arguments.trace.empty()) trace.emplace(arguments.trace);
    if (!arguments.roofline.empty()) roofline.emplace(arguments.roofline);
  }
};

std::optional<measure::Ceilings> limits_of(gpu::Device& device, const ProfileArguments& arguments) {
  const bool has_none = device.facts().device_class == gpu::DeviceClass::Reference;
  if (has_none && !arguments.roofline.empty())
    throw Unsupported(
        fmt::format("The device '{}' computes kernels one instruction at a time: it has no limits that "
                    "a roofline could show.",
                    device.facts().id));
  ProgressLine progress("measuring the device's limits");
  progress.update(0, 1);
  const auto found = measure::ceilings(device, arguments.again);
  progress.update(1, 1);
  return found;
}

std::vector<measure::Stage> language_stages(gpu::Device& device, const models::Checkpoint& checkpoint,
                                            const ProfileArguments& arguments,
                                            const std::optional<measure::Ceilings>& limits) {
  const auto session =
      open_session(device, checkpoint, arguments.run, arguments.prompt + arguments.generate, arguments.prompt);
  const std::vector<std::int32_t> ids(arguments.prompt, 1);
  session->feed(ids);  // warm
  measure::Stage prefill{.name = fmt::format("prefill of {} tokens", arguments.prompt)};
  graph::Program& whole = session->prefill_program();
  whole.write("ids", std::as_bytes(std::span(ids)));  // fed in chunks, it holds but the last
  prefill.steps.push_back(
      measure::profile_step(whole, {.tokens = arguments.prompt, .position = 0}, limits, arguments.repeats));
  session->feed(std::span(ids).first(1));
  measure::Stage decode{.name = fmt::format("decode of {} tokens", arguments.generate)};
  for (std::uint32_t i = 0; i < arguments.generate; ++i) {
    const graph::Parameters next{.tokens = 1, .position = arguments.prompt + i};
    decode.steps.push_back(measure::profile_step(session->decode_program(), next, limits, arguments.repeats));
    decode.steps.back().name = fmt::format("token {}", i + 1);
  }
  return {std::move(prefill), std::move(decode)};
}

/// Each component of a model for images, its program run once.
std::vector<measure::Stage> image_stages(gpu::Device& device, const models::ImageCheckpoint& checkpoint,
                                         const ProfileArguments& arguments,
                                         const std::optional<measure::Ceilings>& limits) {
  ImageBench settings = arguments.image;
  settings.run = arguments.run;
  settings.steps = 1;
  const auto pipeline = run_once(settings, checkpoint, device);  // inputs filled, kernels warm
  std::vector<measure::Stage> stages;
  for (const auto& [name, program] : pipeline->programs()) {
    stages.push_back({.name = std::string(name)});
    stages.back().steps.push_back(
        measure::profile_step(*program, {.tokens = program->max_tokens()}, limits, arguments.repeats));
  }
  return stages;
}

void report(const ProfileArguments& arguments, const gpu::DeviceFacts& facts, const std::vector<measure::Stage>& stages,
            const std::optional<measure::Ceilings>& limits) {
  if (arguments.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const measure::Stage& stage : stages) rows.push_back(stage_json(stage, limits));
    nlohmann::json options = arguments.run.to_json();
    options["repeats"] = arguments.repeats;
    print_json({{"device", facts.id},
                {"name", facts.name},
                {"driver", facts.driver},
                {"limits", limits_json(limits)},
                {"stages", std::move(rows)},
                {"options", std::move(options)}});
    return;
  }
  print_limits(limits);
  for (const measure::Stage& stage : stages) {
    print_stage(stage, limits);
    print_slowest(stage, limits, arguments.top);
  }
}

void profile(const ProfileArguments& arguments) {
  Files files(arguments);
  std::optional<models::ImageCheckpoint> images;
  std::optional<models::Checkpoint> language;
  if (models::ImageCheckpoint::recognizes(arguments.model)) {
    images = models::ImageCheckpoint::open(arguments.model);
  } else {
    language = models::Checkpoint::open(arguments.model);
  }
  const auto device = open_device(arguments.run, images ? selftest::Scope::Images : selftest::Scope::Language);
  const auto limits = limits_of(*device, arguments);
  const std::vector<measure::Stage> stages = images ? image_stages(*device, *images, arguments, limits)
                                                    : language_stages(*device, *language, arguments, limits);
  const gpu::DeviceFacts& facts = device->facts();
  if (files.trace) files.trace->write(measure::chrome_trace(stages, limits, facts.name));
  if (files.roofline)
    files.roofline->write(measure::roofline_svg(
        stages, *limits, fmt::format("{} on {}", images ? images->name() : language->name(), facts.name)));
  report(arguments, facts, stages, limits);
}

}  // namespace

void add_profile(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ProfileArguments>();
  CLI::App* command = app.add_subcommand(
      "profile",
      "Where the time goes, by kernel, and how near each kernel is to what the device can do at best: the part of its "
      "time that moving its bytes or doing its operations takes, whichever is longer, at the speeds measured first "
      "(printed on top, kept for this device and driver). Over 100 %: caches had the bytes. What event times are too "
      "long by is measured too, and subtracted.");
  add_model(*command, arguments->model, any_model_help);
  command->add_option("-p", arguments->prompt, "Tokens of the prompt")
      ->check(CLI::Range(1u, 1u << 16))
      ->capture_default_str();
  command->add_option("-n", arguments->generate, "Tokens to generate")
      ->check(CLI::Range(1u, 1u << 16))
      ->capture_default_str();
  command
      ->add_option("-r,--repeats", arguments->repeats,
                   "Runs of each program: the median of each kernel counts, and the fastest on the clock")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  command->add_option("--trace", arguments->trace,
                      "Also write the runs to this file in Chrome's trace format, for Perfetto: a track of the host "
                      "and one of the device");
  command->add_option("--roofline", arguments->roofline,
                      "Also draw the kernels under the device's limits into this file (SVG)");
  command->add_flag("--measure-limits", arguments->again, "Measure the device's limits anew");
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
