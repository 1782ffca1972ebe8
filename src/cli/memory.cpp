#include <fmt/format.h>

#include "cli/command.h"
#include "cli/image_bench.h"
#include "cli/options.h"
#include "graph/dump.h"
#include "graph/launches.h"
#include "graph/lowering.h"

namespace driftwood::cli {
namespace {

struct MemoryArguments {
  std::string model;
  std::string size;
  bool json = false;
  ImageOptions image;
  double guidance = 7.5;
  RunOptions run;
};

double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

void print_activations(const std::string& name, const graph::MemoryReport& report) {
  fmt::print("{:<34}{:>12.3f}{:>12.3f}{:>14.3f}\n", name, mib(report.activations_planned),
             mib(report.activations_naive), mib(report.lower_bound));
}

nlohmann::json activations(const graph::MemoryReport& report) {
  return {{"naive", report.activations_naive},
          {"planned", report.activations_planned},
          {"lower_bound", report.lower_bound}};
}

nlohmann::json launches(const graph::Launches& counted) {
  return {{"total", counted.total},
          {"layers", counted.layers},
          {"least_of_layer", counted.least_of_layer},
          {"most_of_layer", counted.most_of_layer},
          {"elsewhere", counted.elsewhere}};
}

/// Weights of all components (or of the largest, with the weights of one at a time), activations of one at a time.
void image_memory(const MemoryArguments& arguments) {
  const auto checkpoint = models::ImageCheckpoint::open(arguments.model);
  const auto device = open_device(arguments.run);
  diffusion::PipelineSettings settings;
  set_size(settings, checkpoint, arguments.size);
  settings.batch = arguments.guidance > 1 ? 2 : 1;
  settings.options = arguments.run.image_graph_options();
  arguments.image.apply(settings);
  const auto components = diffusion::plan_memory(checkpoint, settings, device->facts());
  graph::MemoryReport sum, most;
  std::uint64_t largest = 0;
  for (const auto& [name, report] : components) {
    sum.weights += report.weights;
    sum.constants += report.constants;
    sum.inputs_outputs += report.inputs_outputs;
    most.activations_planned = std::max(most.activations_planned, report.activations_planned);
    largest = std::max(largest, report.planned_total());
  }
  const std::uint64_t total =
      settings.low_memory ? largest : sum.weights + sum.constants + sum.inputs_outputs + most.activations_planned;
  if (arguments.json) {
    nlohmann::json parts = nlohmann::json::object();
    for (const auto& [name, report] : components) {
      parts[std::string(name)] = {{"weights", report.weights},
                                  {"constants", report.constants},
                                  {"inputs_outputs", report.inputs_outputs},
                                  {"activations", activations(report)}};
    }
    return print_json({{"components", parts},
                       {"width", settings.width},
                       {"height", settings.height},
                       {"batch", settings.batch},
                       {"low_memory", settings.low_memory},
                       {"vae_tiling", settings.vae_tiling},
                       {"total", total},
                       {"options", arguments.run.to_json()}});
  }
  fmt::print("{:<34}{:>12}{:>12}{:>14}\n", "MiB", "weights", "constants", "in and out");
  for (const auto& [name, report] : components) {
    fmt::print("{:<34}{:>12.2f}{:>12.2f}{:>14.2f}\n", name, mib(report.weights), mib(report.constants),
               mib(report.inputs_outputs));
  }
  fmt::print("{:<34}{:>12}{:>12}{:>14}\n",
             fmt::format("activations, {}x{}, batch {}", settings.width, settings.height, settings.batch), "planned",
             "naive", "lower bound");
  for (const auto& [name, report] : components) print_activations(fmt::format("  {}", name), report);
  fmt::print("{:<34}{:>12.2f}\n", settings.low_memory ? "total, a component at a time" : "total", mib(total));
}

/// Of the KV caches those that are rings.
std::uint64_t ring_bytes(const graph::Graph& graph, std::uint32_t places) {
  std::uint64_t bytes = 0;
  for (const graph::Value& value : graph.values())
    if (value.role == graph::Role::State && value.written_from == graph::no_value && value.shape.w == places)
      bytes += graph::physical_bytes(value);
  return bytes;
}

void memory(const MemoryArguments& arguments) {
  if (models::ImageCheckpoint::recognizes(arguments.model)) return image_memory(arguments);
  const auto checkpoint = models::Checkpoint::open(arguments.model);
  const auto device = open_device(arguments.run);
  const llm::SessionSettings settings = llm::resolved(arguments.run.session_settings(), checkpoint, device->facts());
  struct Plan {
    graph::MemoryReport memory;
    graph::Launches launches;
    std::uint64_t rings;  // bytes of KV caches
  };
  const auto plan = [&](std::uint32_t tokens) {
    const graph::LoweredGraph lowered =
        graph::lower(models::language_graph(checkpoint, llm::graph_settings(settings, device->facts(), tokens, false)),
                     device->facts(), settings.options);
    return Plan{lowered.memory, graph::count_launches(lowered), ring_bytes(lowered.graph, *settings.ring_places)};
  };
  const auto [prefill, prefill_launches, rings] = plan(settings.prefill_tokens);
  const auto [decode, decode_launches, same_rings] = plan(1);
  const std::uint64_t saved =
      rings == 0 ? 0 : rings / *settings.ring_places * (*settings.context - *settings.ring_places);
  if (arguments.json) {
    return print_json({{"weights", prefill.weights},
                       {"constants", prefill.constants},
                       {"kv_cache", prefill.state},
                       {"kv_rings", {{"bytes", rings}, {"places", *settings.ring_places}, {"saved", saved}}},
                       {"inputs_outputs", prefill.inputs_outputs + decode.inputs_outputs},
                       {"activations", {{"prefill", activations(prefill)}, {"decode", activations(decode)}}},
                       {"launches", {{"prefill", launches(prefill_launches)}, {"decode", launches(decode_launches)}}},
                       {"context", *settings.context},
                       {"kv_type", to_string(*settings.cache_type)},
                       {"prefill_tokens", settings.prefill_tokens},
                       {"total", prefill.planned_total() + decode.inputs_outputs + decode.activations_planned},
                       {"options", arguments.run.to_json()}});
  }
  fmt::print("{:<34}{:>12}\n", "", "MiB");
  fmt::print("{:<34}{:>12.2f}\n", "weights", mib(prefill.weights));
  fmt::print("{:<34}{:>12.2f}\n", "constants", mib(prefill.constants));
  fmt::print("{:<34}{:>12.2f}\n",
             fmt::format("KV cache of {} tokens in {}", *settings.context, to_string(*settings.cache_type)),
             mib(prefill.state));
  if (rings != 0) {
    fmt::print("{:<34}{:>12.2f}\n", "  of full layers", mib(prefill.state - rings));
    fmt::print("{:<34}{:>12.2f}  (saves {:.2f})\n", fmt::format("  of windows, rings of {}", *settings.ring_places),
               mib(rings), mib(saved));
  }
  fmt::print("{:<34}{:>12.2f}\n", "inputs and outputs", mib(prefill.inputs_outputs + decode.inputs_outputs));
  fmt::print("{:<34}{:>12}{:>12}{:>14}\n", "activations", "planned", "naive", "lower bound");
  print_activations(fmt::format("  prefill of {} tokens", settings.prefill_tokens), prefill);
  print_activations("  decode", decode);
  fmt::print("{:<34}{:>12.2f}\n", "total",
             mib(prefill.planned_total() + decode.inputs_outputs + decode.activations_planned));
  fmt::print("{:<34}{}\n", fmt::format("a prefill of {} tokens", settings.prefill_tokens),
             graph::to_text(prefill_launches));
  fmt::print("{:<34}{}\n", "a decoded token", graph::to_text(decode_launches));
}

struct GraphArguments {
  std::string model, format = "text", component = "unet", size;
  bool before = false;
  double guidance = 7.5;
  ImageOptions image;
  std::uint32_t tokens = 1;
  RunOptions run;
};

graph::Graph language_graph(const GraphArguments& arguments, const gpu::DeviceFacts& facts) {
  const auto checkpoint = models::Checkpoint::open(arguments.model);
  llm::SessionSettings settings = llm::resolved(arguments.run.session_settings(), checkpoint, facts);
  if (arguments.tokens > settings.prefill_tokens) {  // rings have places for the longest run
    settings = arguments.run.session_settings();
    settings.prefill_tokens = arguments.tokens;
    settings = llm::resolved(settings, checkpoint, facts);
  }
  return models::language_graph(checkpoint, llm::graph_settings(settings, facts, arguments.tokens, false));
}

graph::Graph image_graph(const GraphArguments& arguments, const gpu::DeviceFacts& facts) {
  const auto checkpoint = models::ImageCheckpoint::open(arguments.model);
  diffusion::PipelineSettings settings;
  set_size(settings, checkpoint, arguments.size);
  settings.batch = arguments.guidance > 1 ? 2 : 1;
  settings.options = arguments.run.image_graph_options();
  arguments.image.apply(settings);
  return diffusion::component_graph(checkpoint, settings, facts, arguments.component);
}

void show_graph(const GraphArguments& arguments) {
  const auto device = open_device(arguments.run);
  const bool is_image = models::ImageCheckpoint::recognizes(arguments.model);
  graph::Graph graph = is_image ? image_graph(arguments, device->facts()) : language_graph(arguments, device->facts());
  const graph::GraphOptions options = arguments.run.graph_options();
  const bool is_dot = arguments.format == "dot";
  std::string counted;
  if (!arguments.before) {
    graph::LoweredGraph lowered = graph::lower(std::move(graph), device->facts(), options);
    counted = fmt::format("{}{}\n", is_dot ? "// " : "", graph::to_text(graph::count_launches(lowered)));
    graph = std::move(lowered.graph);
  }
  const std::string text = (is_dot ? graph::to_graphviz(graph) : graph::to_text(graph)) + counted;
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace

void add_memory(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<MemoryArguments>();
  CLI::App* command = app.add_subcommand("memory", "The memory plan of a model, without running it");
  add_model(*command, arguments->model, any_model_help);
  command->add_flag("--json", arguments->json, "One JSON document on standard output");
  CLI::Option_group* images = command->add_option_group("Models for images");
  images->add_option("--size", arguments->size, "WIDTHxHEIGHT in pixels (default: the model's)");
  images->add_option("--guidance", arguments->guidance, "Over 1: both halves of guidance in one batch")
      ->capture_default_str();
  arguments->image.add_to(*images);
  arguments->run.add_to(*command);
  command->callback([arguments, &action] { action = [arguments] { memory(*arguments); }; });
}

void add_graph(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<GraphArguments>();
  CLI::App* command = app.add_subcommand("graph", "The graph of a model, after (or before) the passes");
  add_model(*command, arguments->model, any_model_help);
  command->add_option("--format", arguments->format, "text or dot (Graphviz)")
      ->check(CLI::IsMember({"text", "dot"}))
      ->capture_default_str();
  command->add_flag("--before", arguments->before, "Before the passes");
  command->add_option("--tokens", arguments->tokens, "Most tokens of a run: 1 is decode")
      ->check(CLI::Range(1u, 1u << 20))
      ->capture_default_str();
  CLI::Option_group* images = command->add_option_group("Models for images");
  images->add_option("--component", arguments->component, "text encoder, unet, vae decoder or vae encoder")
      ->capture_default_str();
  images->add_option("--size", arguments->size, "WIDTHxHEIGHT in pixels (default: the model's)");
  images->add_option("--guidance", arguments->guidance, "Over 1: both halves of guidance in one batch")
      ->capture_default_str();
  arguments->image.add_to(*images);
  arguments->run.add_to(*command);
  command->callback([arguments, &action] { action = [arguments] { show_graph(*arguments); }; });
}

}  // namespace driftwood::cli
