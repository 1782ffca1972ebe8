#include <fmt/format.h>

#include "cli/command.h"
#include "cli/options.h"
#include "formats/gguf.h"
#include "formats/safetensors.h"

namespace driftwood::cli {
namespace {

nlohmann::json to_json(const GgufArray& array) {
  if (array.element_type() == GgufType::String) {
    nlohmann::json list = nlohmann::json::array();
    for (const std::string_view text : array.strings()) list.push_back(std::string(text));
    return list;
  }
  if (array.element_type() == GgufType::Array) {
    nlohmann::json list = nlohmann::json::array();
    for (const GgufArray& inner : array.arrays()) list.push_back(to_json(inner));
    return list;
  }
  if (array.element_type() == GgufType::F32 || array.element_type() == GgufType::F64) return array.floats();
  return array.integers();
}

nlohmann::json to_json(const GgufValue& value) {
  return std::visit(
      [](const auto& held) -> nlohmann::json {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, GgufArray>)
          return to_json(held);
        else if constexpr (std::is_same_v<T, std::string_view>)
          return std::string(held);
        else
          return held;
      },
      value);
}

nlohmann::json to_json(const TensorTable& tensors) {
  nlohmann::json list = nlohmann::json::array();
  for (const StoredTensor& tensor : tensors.all())
    list.push_back({{"name", tensor.name},
                    {"type", to_string(tensor.type)},
                    {"shape", tensor.shape()},
                    {"bytes", tensor.bytes.size()}});
  return list;
}

void print(const TensorTable& tensors) {
  fmt::print("\n{} tensors, {} values, {} bytes\n", tensors.all().size(), tensors.total_values(),
             tensors.total_bytes());
  for (const StoredTensor& tensor : tensors.all())
    fmt::print("{:<48} {:<6} {:<20} {:>14}\n", tensor.name, to_string(tensor.type), describe_dims(tensor.shape()),
               tensor.bytes.size());
}

void inspect(const std::string& model, bool json) {
  std::error_code error;
  const std::filesystem::path path(model);
  if (std::filesystem::is_directory(path, error) || path.extension() == ".safetensors" || path.extension() == ".json") {
    const auto file = SafetensorsFile::open(path);
    if (json)
      return print_json(
          {{"format", "safetensors"}, {"metadata", file.metadata()}, {"tensors", to_json(file.tensors())}});
    for (const auto& [key, value] : file.metadata()) fmt::print("{:<48} {}\n", key, value);
    return print(file.tensors());
  }
  const auto file = GgufFile::open(path);
  if (json) {
    nlohmann::json metadata = nlohmann::json::object();
    for (const auto& [key, value] : file.metadata().entries()) metadata[std::string(key)] = to_json(value);
    return print_json({{"format", "gguf"},
                       {"version", file.version()},
                       {"metadata", metadata},
                       {"tensors", to_json(file.tensors())}});
  }
  fmt::print("GGUF version {}, {} shard(s)\n", file.version(), file.files().size());
  for (const auto& [key, value] : file.metadata().entries())
    fmt::print("{:<48} {:<8} {}\n", key, to_string(type_of(value)), describe(value));
  print(file.tensors());
}

struct InspectArguments {
  std::string model;
  bool json = false;
};

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<InspectArguments>();
  CLI::App* command = app.add_subcommand("inspect", "Metadata and tensors of a model file");
  command->add_option("MODEL", arguments->model, "GGUF or safetensors file, or a folder with safetensors")->required();
  command->add_flag("--json", arguments->json, "One JSON document on standard output");
  command->callback([arguments, &action] { action = [arguments] { inspect(arguments->model, arguments->json); }; });
}

}  // namespace driftwood::cli
