#include "cli/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/error.h"
#include "base/log.h"
#include "cli/progress.h"
#include "gpu/limited_device.h"
#include "gpu/registry.h"
#include "graph/memory_plan.h"
#include "graph/passes/pass.h"
#include "limits/limits_file.h"
#include "selftest/trusted_device.h"
#include "text/tokenizer_gguf.h"
#include "text/tokenizer_huggingface.h"

namespace driftwood::cli {
namespace {

constexpr std::size_t max_text_bytes = std::size_t{256} << 20;

// Names without spaces, for the shell.
constexpr std::array<std::pair<std::string_view, StorageKind>, 5> storage_kinds = {{
    {"buffer", StorageKind::Buffer},
    {"image-buffer", StorageKind::ImageBuffer},
    {"texture-2d", StorageKind::Texture2D},
    {"texture-3d", StorageKind::Texture3D},
    {"texture-2d-array", StorageKind::Texture2DArray},
}};

std::vector<std::string> storage_names() {
  std::vector<std::string> names;
  names.reserve(std::size(storage_kinds));
  for (const auto& [name, kind] : storage_kinds) names.emplace_back(name);
  return names;
}

std::vector<std::string> memory_plan_names() {
  std::vector<std::string> names;
  for (const graph::MemoryStrategy& strategy : graph::memory_strategies()) names.emplace_back(strategy.name);
  return names;
}

std::string pass_names() {
  std::vector<std::string_view> names;
  for (const graph::Pass& pass : graph::passes()) names.push_back(pass.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::optional<StorageKind> storage_from_name(std::string_view name) {
  for (const auto& [known, kind] : storage_kinds) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

void RunOptions::add_device_to(CLI::App& command) {
  command.add_option(
      "--device", device,
      "Device to run on: an id of 'driftwood devices', or an API alone ('webgpu') for its best device (default: "
      "the best GPU, else the CPU)");
  command
      .add_option("--limits", limits_file,
                  "JSON file of facts, as 'driftwood devices --json' names them, of a smaller device: the device then "
                  "refuses what that one would")
      ->envname("DRIFTWOOD_LIMITS");
}

void RunOptions::add_to(CLI::App& command, bool with_context) {
  add_device_to(command);
  command.add_flag(
      "--no-selftest", no_selftest,
      "Take the device as it is: do not test its kernels when it is first used, nor heed what a test found");
  command.add_flag("--no-tuning", no_tuning,
                   "Leave kernels and how they are cut to the rules, instead of to what 'driftwood tune' measured");
  command.add_option("--precision", precision, "auto: right by default; f32 throughout; f16 throughout")
      ->check(CLI::IsMember({"auto", "f32", "f16"}))
      ->capture_default_str();
  command
      .add_option("--activations", activations,
                  "How activations enter the matrix kernels of language models: float; int8 (a scale for 32 channels "
                  "of a token); auto: int8 "
                  "where the weights were made for it")
      ->check(CLI::IsMember({"auto", "float", "int8"}))
      ->capture_default_str();
  command.add_option("--storage", storage, "How activations are stored")
      ->check(CLI::IsMember(storage_names()))
      ->capture_default_str();
  command
      .add_option("--weight-rows", weight_rows,
                  "How packed weights lie: words of neighbouring rows interleaved, or rows one after another")
      ->check(CLI::IsMember({"interleaved", "separate"}))
      ->capture_default_str();
  command.add_option("--memory-plan", memory_plan, "How activations share memory")
      ->check(CLI::IsMember(memory_plan_names()))
      ->capture_default_str();
  command.add_option("--no-fusion", no_fusion, "Switch a graph pass off by name (repeatable): " + pass_names());
  command.add_option("--no-kernel", no_kernel,
                     "Do not take a kernel, but the next that does its work (repeatable); 'driftwood profile' names "
                     "those in use");
  if (with_context)
    command
        .add_option("--ctx", context,
                    "Tokens that the KV cache holds; 0: the model's own (default: the model's, at most 4096)")
        ->check(CLI::Range(0u, 1u << 24));
  if (with_context) add_kv_type_to(command);
}

void RunOptions::add_kv_type_to(CLI::App& command) {
  has_kv_type = true;
  command.add_option("--kv-type", kv_type, "How keys and values are cached (auto: f16, or f32 with --precision f32)")
      ->check(CLI::IsMember({"auto", "f32", "f16", "q8_0"}))
      ->capture_default_str();
  command
      .add_option("--kv-layout", kv_layout,
                  "How caches of f32 and f16 lie: the channels of a position together, or the positions of four "
                  "channels")
      ->check(CLI::IsMember({"token-major", "token-minor"}))
      ->capture_default_str();
}

void RunOptions::add_sampling_to(CLI::App& command) {
  has_sampling = true;
  command
      .add_option(
          "--sampling", sampling,
          "Where tokens are chosen: device, with the next steps queued ahead (--top-k of 1 to 64); host; auto: on "
          "the device where it is a GPU and can")
      ->check(CLI::IsMember({"auto", "host", "device"}))
      ->capture_default_str();
  add_decode_launches_to(command);
}

void RunOptions::add_decode_launches_to(CLI::App& command) {
  command
      .add_option("--decode-launches", decode_launches,
                  "Kernels of a decoded token: one, a launch whose workgroups stay and wait for each other between "
                  "kernels, where the device can; many, a launch each; auto: what is faster on the device")
      ->check(CLI::IsMember({"auto", "one", "many"}))
      ->capture_default_str();
}

llm::SamplingPlace RunOptions::sampling_place() const {
  if (sampling == "auto") return llm::SamplingPlace::Auto;
  return sampling == "host" ? llm::SamplingPlace::Host : llm::SamplingPlace::Device;
}

graph::GraphOptions RunOptions::graph_options() const {
  graph::GraphOptions options;
  options.precision = *graph::precision_from_name(precision);
  options.activations = *graph::activation_mode_from_name(activations);
  options.storage = *storage_from_name(storage);
  options.disabled_passes = no_fusion;
  options.disabled_kernels = no_kernel;
  options.weight_rows = *graph::weight_rows_from_name(weight_rows);
  options.cache_layout = *graph::cache_layout_from_name(kv_layout);
  options.decode_launches = *graph::decode_launches_from_name(decode_launches);
  options.memory_strategy = memory_plan;
  if (choices_) options.choices = choices_->choices;
  return options;
}

llm::SessionSettings RunOptions::session_settings() const {
  llm::SessionSettings settings{.context = context, .options = graph_options()};
  if (kv_type != "auto") settings.cache_type = data_type_from_name(kv_type);
  return settings;
}

graph::GraphOptions RunOptions::image_graph_options() const {
  if (activations == "int8")
    throw InvalidInput("Models for images take activations as floats: '--activations int8' is for language models.");
  return graph_options();
}

nlohmann::json RunOptions::to_json() const {
  nlohmann::json document = {{"precision", precision},    {"activations", activations}, {"storage", storage},
                             {"no_fusion", no_fusion},    {"no_kernel", no_kernel},     {"weight_rows", weight_rows},
                             {"memory_plan", memory_plan}};
  if (limits() != nullptr) document["limits"] = limits::to_json(*limits());
  if (has_kv_type) {
    document["kv_type"] = kv_type;
    document["kv_layout"] = kv_layout;
  }
  if (has_sampling) {
    document["sampling"] = sampling;
    document["decode_launches"] = decode_launches;
  }
  document["tuning"] = choices_ ? choices_->source() : "off";
  return document;
}

const gpu::DeviceLimits* RunOptions::limits() const {
  if (limits_file.empty()) return nullptr;
  if (!limits_) limits_ = limits::read_limits(limits_file);
  return &*limits_;
}

std::shared_ptr<const graph::Choices> RunOptions::choices(const gpu::DeviceFacts& facts) const {
  if (no_tuning || !limits_file.empty()) return nullptr;
  if (!choices_) choices_ = tuning::choices_for(facts);
  return choices_->choices;
}

CLI::Option* add_model(CLI::App& command, std::string& model, const std::string& help) {
  return command.add_option("MODEL", model, help)->required();
}

std::unique_ptr<gpu::Device> open_device(const RunOptions& options, std::optional<selftest::Scope> scope) {
  options.limits();  // once, before the options are copied
  RunOptions chosen = options;
  const auto open = [&chosen] {
    auto opened = open_bare_device(chosen);
    chosen.device = opened->facts().id;  // where it is lost, this one is opened anew
    return opened;
  };
  std::unique_ptr<gpu::Device> device;
  if (options.no_selftest || selftest::is_switched_off()) {
    device = open();
  } else {
    ProgressLine progress("testing kernels, once for this device and driver");
    device =
        selftest::trusted_device(open, {.scope = scope.value_or(selftest::Scope::Everything),
                                        .only_recorded = !scope,
                                        .progress = [&](std::size_t done, std::size_t all, const std::string& kernel) {
                                          progress.update(done, all, kernel);
                                        }});
  }
  if (!options.limits_file.empty()) {
    log(LogLevel::Info, fmt::format("The limits of '{}' are imposed on the device.", options.limits_file));
  }
  options.choices(device->facts());
  log(LogLevel::Info, fmt::format("device {}: {} ({})", device->facts().id, device->facts().name, device->facts().api));
  return device;
}

std::unique_ptr<gpu::Device> open_bare_device(const RunOptions& options) {
  const gpu::DeviceLimits* const limits = options.limits();
  std::unique_ptr<gpu::Device> device = gpu::open_device(options.device);
  if (limits == nullptr) return device;
  return std::make_unique<gpu::LimitedDevice>(std::move(device), *limits);
}

std::unique_ptr<llm::Session> open_session(gpu::Device& device, const models::Checkpoint& checkpoint,
                                           const RunOptions& options, std::optional<std::uint32_t> context,
                                           std::uint32_t prefill_tokens) {
  // The session keeps them: a program that is made later (logits of every token) shows its progress too.
  const auto kernels = std::make_shared<ProgressLine>("preparing kernels");
  const auto prompt = std::make_shared<ProgressLine>("reading the prompt");
  llm::SessionSettings settings = options.session_settings();
  settings.context = context;
  settings.prefill_tokens = prefill_tokens;
  settings.progress = [kernels](std::size_t done, std::size_t all) { kernels->update(done, all); };
  settings.prompt_progress = [prompt](std::size_t done, std::size_t all) {
    prompt->update(done, all, fmt::format("{} %", done * 100 / all));
  };
  return std::make_unique<llm::Session>(device, checkpoint, settings);
}

std::unique_ptr<Tokenizer> load_tokenizer(const models::Checkpoint& checkpoint) {
  if (checkpoint.gguf() != nullptr) {
    if (!checkpoint.gguf()->metadata().has("tokenizer.ggml.model")) return nullptr;
    return Tokenizer::create(load_tokenizer_data(checkpoint.gguf()->metadata()));
  }
  if (!has_tokenizer(checkpoint.path())) return nullptr;
  return Tokenizer::create(load_tokenizer_data(checkpoint.path()));
}

std::unique_ptr<Tokenizer> open_tokenizer(const std::string& model) try {
  std::error_code error;
  if (std::filesystem::is_directory(model, error))
    return Tokenizer::create(load_tokenizer_data(std::filesystem::path(model)));
  return Tokenizer::create(load_tokenizer_data(GgufFile::open(model).metadata()));
} catch (Error& error) {
  error.add_context(fmt::format("While reading the tokenizer of '{}'.", model));
  throw;
}

std::vector<std::int32_t> parse_ids(const std::string& list) {
  std::vector<std::int32_t> ids;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at != end) {
    std::int32_t id = 0;
    const auto [next, error] = std::from_chars(at, end, id);
    if (error != std::errc() || (next != end && *next != ','))
      throw CLI::ValidationError("--ids",
                                 fmt::format("'{}' is no list of token ids such as 1,2,3", list.substr(0, 60)));
    ids.push_back(id);
    at = next == end ? end : next + 1;
    if (next != end && at == end)
      throw CLI::ValidationError("--ids", fmt::format("'{}' ends with a comma", list.substr(0, 60)));
  }
  return ids;
}

std::string read_text(const std::string& path) {
  std::string text;
  const auto read = [&](std::istream& stream) {
    char block[1 << 16];
    while (stream.read(block, sizeof block) || stream.gcount() > 0) {
      text.append(block, static_cast<std::size_t>(stream.gcount()));
      if (text.size() > max_text_bytes)
        throw InvalidInput(fmt::format("The text '{}' is over the limit of {} bytes.", path, max_text_bytes));
    }
    if (stream.bad()) throw InvalidInput(fmt::format("The text '{}' cannot be read.", path));
  };
  if (path == "-") {
    read(std::cin);
    return text;
  }
  if (std::error_code error; std::filesystem::is_directory(path, error))
    throw InvalidInput(fmt::format("'{}' is a folder, not a text file.", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InvalidInput(fmt::format("The file '{}' cannot be opened.", path));
  read(file);
  return text;
}

void print_json(const nlohmann::json& document) {
  const std::string text = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace driftwood::cli
