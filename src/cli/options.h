// Options that several commands share, and what they open.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/device_limits.h"
#include "graph/options.h"
#include "llm/decoding.h"
#include "llm/session.h"
#include "models/checkpoint.h"
#include "selftest/sample.h"
#include "text/tokenizer.h"
#include "tuning/stored.h"

namespace driftwood::cli {

/// Where and how a model runs.
struct RunOptions {
  std::string device;
  std::string limits_file;  // empty: none
  std::string precision = "auto";
  std::string activations = "auto";
  std::string storage = "buffer";
  std::vector<std::string> no_fusion, no_kernel;
  std::string weight_rows = "interleaved";
  std::string memory_plan = "best";
  std::optional<std::uint32_t> context = {};
  std::string kv_type = "auto", kv_layout = "token-major";
  std::string sampling = "auto";
  std::string decode_launches = "auto";
  bool no_selftest = false;
  bool no_tuning = false;
  bool has_kv_type = false;   // the command offers --kv-type
  bool has_sampling = false;  // the command offers --sampling

  /// Adds --device, --limits, --no-selftest, --no-tuning, --precision, --activations, --storage, --weight-rows,
  /// --memory-plan, --no-fusion, --no-kernel and, where asked for, --ctx, --kv-type and --kv-layout.
  void add_to(CLI::App& command, bool with_context = true);
  /// Adds --device and --limits alone.
  void add_device_to(CLI::App& command);
  /// Adds --kv-type and --kv-layout alone, for commands that choose the context themselves.
  void add_kv_type_to(CLI::App& command);
  /// Adds --sampling and --decode-launches alone, for commands that generate.
  void add_sampling_to(CLI::App& command);
  /// Adds --decode-launches alone.
  void add_decode_launches_to(CLI::App& command);
  llm::SamplingPlace sampling_place() const;
  graph::GraphOptions graph_options() const;
  /// Of sessions and plans of language models, but for what the command itself chooses.
  llm::SessionSettings session_settings() const;
  /// The same for models for images; throws InvalidInput for what they do not do.
  graph::GraphOptions image_graph_options() const;
  /// What changes results or speed, for JSON outputs.
  nlohmann::json to_json() const;
  /// The limits of the file, which is read once; null where there is none. Throws InvalidInput for a wrong file.
  const gpu::DeviceLimits* limits() const;
  /// What was measured for a device, loaded when it is first asked for, as open_device() does; graph_options() have it
  /// from then on. Null where nothing was, with --no-tuning, and with --limits, which make another device.
  std::shared_ptr<const graph::Choices> choices(const gpu::DeviceFacts& facts) const;

 private:
  mutable std::optional<tuning::StoredChoices> choices_ = {};
  mutable std::optional<gpu::DeviceLimits> limits_ = {};
};

/// The storage kind of a name on the command line ("texture-2d"); nothing where it is unknown.
std::optional<StorageKind> storage_from_name(std::string_view name);

/// What MODEL may be where every kind of model is taken.
inline const std::string any_model_help =
    "GGUF file (the first of several), Hugging Face or diffusers folder, or a .safetensors file for images";

/// The positional MODEL.
CLI::Option* add_model(CLI::App& command, std::string& model,
                       const std::string& help = "GGUF file (the first of several), or a Hugging Face folder");

/// Opens the device asked for, by flag or DRIFTWOOD_DEVICE, or the best, with the limits asked for imposed on it; names
/// both on standard error. Kernels of the scope are tested when the device and its driver are first used; for plans
/// that run nothing (no scope) none are.
std::unique_ptr<gpu::Device> open_device(const RunOptions& options, std::optional<selftest::Scope> scope = {});

/// The same untested, and named nowhere.
std::unique_ptr<gpu::Device> open_bare_device(const RunOptions& options);

/// A session with progress lines on a terminal.
std::unique_ptr<llm::Session> open_session(gpu::Device& device, const models::Checkpoint& checkpoint,
                                           const RunOptions& options, std::optional<std::uint32_t> context,
                                           std::uint32_t prefill_tokens = 0);

/// The model's tokenizer; null where the files have none.
std::unique_ptr<Tokenizer> load_tokenizer(const models::Checkpoint& checkpoint);

/// The tokenizer of a MODEL without opening its weights. Throws InvalidInput where it has none.
std::unique_ptr<Tokenizer> open_tokenizer(const std::string& model);

/// "1,2,3" to ids. Throws CLI::ValidationError.
std::vector<std::int32_t> parse_ids(const std::string& list);

/// The whole of a file, or of standard input for "-". Throws InvalidInput past 256 MiB or where it cannot be read.
std::string read_text(const std::string& path);

/// Prints one JSON document and a line end; bytes that are not UTF-8 become U+FFFD.
void print_json(const nlohmann::json& document);

}  // namespace driftwood::cli
