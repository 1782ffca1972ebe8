#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/log.h"
#include "base/parallel.h"
#include "cli/command.h"
#include "cli/image_files.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "models/quantization_source.h"
#include "text/tokenizer_gguf_writer.h"
#include "text/tokenizer_huggingface.h"

namespace driftwood::cli {
namespace {

namespace fs = std::filesystem;

struct QuantizeArguments {
  std::string input, output, scheme;
  unsigned threads = 0;
  bool force = false;
  bool json = false;
};

/// What is wrong with the output's place is said before the work.
void check_output(const QuantizeArguments& arguments, std::span<const MappedFile> inputs) {
  std::error_code error;
  const auto is_output = [&](const fs::path& path) { return fs::equivalent(path, arguments.output, error); };
  if (is_output(arguments.input) || std::ranges::any_of(inputs, is_output, &MappedFile::path)) {
    throw InvalidInput(fmt::format("'{}' is the model itself, which is read while OUT is written; name another file.",
                                   arguments.output));
  }
  if (fs::exists(arguments.output, error) && !arguments.force) {
    throw InvalidInput(fmt::format("'{}' exists; --force replaces it.", arguments.output));
  }
  check_writable(arguments.output);
}

nlohmann::json to_json(const models::QuantizationReport& report, const models::Scheme& scheme,
                       const std::string& file) {
  nlohmann::json types = nlohmann::json::object();
  for (const auto& [type, totals] : report.after) {
    types[std::string(to_string(type))] = {
        {"tensors", totals.tensors}, {"values", totals.values}, {"bytes", totals.bytes}};
  }
  return {{"file", file},
          {"scheme", scheme.name},
          {"bytes", report.file_bytes},
          {"types", types},
          {"fallbacks", report.fallbacks},
          {"requantized", report.requantized},
          {"opens_elsewhere", scheme.is_public()}};
}

void tell(const models::QuantizationReport& report, const models::Scheme& scheme, const std::string& file) {
  fmt::print(stderr, "{:<8} {:>8} {:>16} {:>16} {:>14}\n", "type", "tensors", "values", "bytes", "bits a value");
  for (const auto& [type, totals] : report.after) {
    fmt::print(stderr, "{:<8} {:>8} {:>16} {:>16} {:>14.3f}\n", to_string(type), totals.tensors, totals.values,
               totals.bytes, 8.0 * static_cast<double>(totals.bytes) / static_cast<double>(totals.values));
  }
  constexpr std::size_t shown = 5;
  for (std::size_t i = 0; i < std::min(shown, report.fallbacks.size()); ++i) {
    fmt::print(stderr, "{} ({} does not take its rows)\n", report.fallbacks[i], scheme.name);
  }
  if (report.fallbacks.size() > shown) fmt::print(stderr, "and {} more\n", report.fallbacks.size() - shown);
  fmt::print(stderr, "'{}' has {} bytes. {}\n", file, report.file_bytes,
             scheme.is_public()
                 ? "Other readers of GGUF open it where they know these types."
                 : "Other readers of GGUF do not open it: types with one scale a row are Driftwood's own.");
  std::fflush(stderr);
}

/// The input, opened: a file, or a folder and its tokenizer.
struct Input {
  std::optional<GgufFile> file = {};
  std::optional<models::Checkpoint> folder = {};
  std::optional<TokenizerData> tokenizer = {};
  models::QuantizationSource source = {};
};

/// A folder's tokenizer where GGUF can hold it; what keeps it out is told.
std::optional<TokenizerData> tokenizer_of(const std::string& folder) {
  std::string obstacle;
  try {
    TokenizerData data = load_tokenizer_data(fs::path(folder));
    obstacle = gguf_tokenizer_obstacle(data);
    if (!data.strips.empty() || data.space_prefix == SpacePrefix::TextStart) {
      log(LogLevel::Warning,
          "Spaces beside added tokens are treated in a way that GGUF cannot say: texts with such tokens may get other "
          "tokens than from the folder.");
    }
    if (obstacle.empty()) return data;
  } catch (const Error& error) {
    obstacle = error.message();
  }
  log(LogLevel::Warning, fmt::format("The file will hold no tokenizer and so work with --ids alone. {}", obstacle));
  return std::nullopt;
}

std::unique_ptr<Input> open_input(const QuantizeArguments& arguments) {
  auto input = std::make_unique<Input>();
  std::error_code error;
  if (!fs::is_directory(arguments.input, error)) {
    input->file = GgufFile::open(arguments.input);
    check_output(arguments, input->file->files());
    input->source = models::quantization_source(*input->file);
    return input;
  }
  input->folder = models::Checkpoint::open(arguments.input);
  check_output(arguments, {});
  input->tokenizer = tokenizer_of(arguments.input);
  input->source = models::quantization_source(*input->folder);
  if (input->tokenizer) {
    input->source.add_metadata = [of_config = input->source.add_metadata, &input = *input](GgufWriter& writer) {
      of_config(writer);
      write_tokenizer(writer, *input.tokenizer);
    };
  }
  return input;
}

void quantize(const QuantizeArguments& arguments) {
  const models::Scheme* const scheme = models::find_scheme(arguments.scheme);
  if (scheme == nullptr) {
    throw ::CLI::ValidationError("--scheme", fmt::format("'{}' is no scheme; there are {}",
                                                         arguments.scheme.substr(0, 60), models::scheme_names()));
  }
  const std::unique_ptr<Input> input = open_input(arguments);
  const models::QuantizationSource& source = input->source;
  const bool is_quantized = std::ranges::any_of(source.tensors, [](const models::SourceTensor& tensor) {
    return info(tensor.stored->type).is_float && info(tensor.stored->type).block_length > 1;
  });
  if (is_quantized) {
    log(LogLevel::Warning, fmt::format("'{}' is quantized already: what it has lost stays lost, and {} loses anew. A "
                                       "file of f16, bf16 or f32 gives better results.",
                                       arguments.input, scheme->name));
  }
  ProgressLine line(fmt::format("quantizing to {}", scheme->name));
  const unsigned threads = arguments.threads > 0 ? arguments.threads : host_threads(1024);
  constexpr std::uint64_t million = 1000000;
  const models::QuantizationReport report = models::quantize(
      source, arguments.output, *scheme,
      {.threads = threads, .progress = [&](std::uint64_t done, std::uint64_t all) {
         line.update(done, all, fmt::format("values, {} of {} million", done / million, all / million));
       }});
  if (arguments.json) return print_json(to_json(report, *scheme, arguments.output));
  tell(report, *scheme, arguments.output);
}

}  // namespace

void add_quantize(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<QuantizeArguments>();
  CLI::App* command = app.add_subcommand("quantize", "Makes a smaller GGUF file of a language model");
  std::string list = "Schemes:\n";
  for (const models::Scheme& scheme : models::schemes()) {
    list += fmt::format("  {:<8} {}{}\n", scheme.name, scheme.description,
                        scheme.is_public() ? "" : " (Driftwood alone opens it)");
  }
  command->footer(list);
  command
      ->add_option("IN", arguments->input,
                   "GGUF file (the first of several) or Hugging Face folder, best of f16, bf16 or f32")
      ->required();
  command->add_option("OUT", arguments->output, "The GGUF file to write")->required();
  command->add_option("--scheme", arguments->scheme, "How weights are kept: " + models::scheme_names())->required();
  command->add_option("--threads", arguments->threads, "Threads that quantize; 0: as many as the machine has")
      ->check(::CLI::Range(0, 1024));
  command->add_flag("--force", arguments->force, "Replace OUT where it exists");
  command->add_flag("--json", arguments->json, "One JSON document on standard output in place of the table");
  command->callback([arguments, &action] { action = [arguments] { quantize(*arguments); }; });
}

}  // namespace driftwood::cli
