#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "cli/command.h"
#include "cli/options.h"
#include "formats/gguf.h"
#include "formats/safetensors.h"
#include "models/image_checkpoint.h"

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
  std::size_t width = 48;
  for (const StoredTensor& tensor : tensors.all()) width = std::max(width, tensor.name.size());
  for (const StoredTensor& tensor : tensors.all())
    fmt::print("{:<{}} {:<6} {:<20} {:>14}\n", tensor.name, width, to_string(tensor.type),
               describe_dims(tensor.shape()), tensor.bytes.size());
}

void inspect_diffusers(const std::filesystem::path& path, bool json) {
  const auto model = models::ImageCheckpoint::open(path);
  nlohmann::json components = nlohmann::json::object();
  for (const models::ImageComponent component : models::image_components) {
    const TensorTable& tensors = model.tensors(component);
    if (json) {
      components[std::string(to_string(component))] = {
          {"tensors", to_json(tensors)}, {"values", tensors.total_values()}, {"bytes", tensors.total_bytes()}};
    } else {
      fmt::print("{}{}", component == models::image_components[0] ? "" : "\n", to_string(component));
      print(tensors);
    }
  }
  if (json) {
    return print_json({{"format", "diffusers"},
                       {"components", components},
                       {"values", model.total_values()},
                       {"bytes", model.total_bytes()}});
  }
  fmt::print("\nin all {} values, {} bytes\n", model.total_values(), model.total_bytes());
}

/// What a single file for images holds of each component; empty for other files.
std::map<std::string, std::array<std::uint64_t, 3>> component_totals(const TensorTable& tensors) {
  std::map<std::string, std::array<std::uint64_t, 3>> totals;
  for (const StoredTensor& tensor : tensors.all()) {
    const auto name = models::original_to_diffusers(tensor.name);
    if (!name) continue;
    auto& [count, values, bytes] = totals[std::string(to_string(name->component))];
    ++count;
    values += tensor.size();
    bytes += tensor.bytes.size();
  }
  return totals;
}

void inspect(const std::string& model, bool json) {
  std::error_code error;
  const std::filesystem::path path(model);
  if (std::filesystem::exists(path / models::ImageCheckpoint::index_name, error)) return inspect_diffusers(path, json);
  if (std::filesystem::is_directory(path, error) || path.extension() == ".safetensors" || path.extension() == ".json") {
    const auto file = SafetensorsFile::open(path);
    const auto components = component_totals(file.tensors());
    if (json) {
      nlohmann::json document = {
          {"format", "safetensors"}, {"metadata", file.metadata()}, {"tensors", to_json(file.tensors())}};
      for (const auto& [component, totals] : components)
        document["components"][component] = {{"tensors", totals[0]}, {"values", totals[1]}, {"bytes", totals[2]}};
      return print_json(document);
    }
    for (const auto& [key, value] : file.metadata()) fmt::print("{:<48} {}\n", key, value);
    for (const auto& [component, totals] : components)
      fmt::print("{:<48} {} tensors, {} values, {} bytes\n", component, totals[0], totals[1], totals[2]);
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
  command
      ->add_option("MODEL", arguments->model,
                   "GGUF or safetensors file, or a folder with safetensors, diffusers' included")
      ->required();
  command->add_flag("--json", arguments->json, "One JSON document on standard output");
  command->callback([arguments, &action] { action = [arguments] { inspect(arguments->model, arguments->json); }; });
}

}  // namespace driftwood::cli
