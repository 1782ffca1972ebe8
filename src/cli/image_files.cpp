#include "cli/image_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "formats/safetensors.h"
#include "tensor/data_type.h"

namespace driftwood::cli {

LatentsFile read_latents(const std::filesystem::path& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  const StoredTensor* tensor = file.tensors().find("latents");
  if (tensor == nullptr) throw InvalidInput(fmt::format("'{}' has no tensor 'latents'.", path.string()));
  const std::vector<std::uint64_t> shape = tensor->shape();
  constexpr std::uint64_t most = 1024;  // of each extent: 8192 pixels
  if (shape.size() != 4 || shape[0] != 1 || shape[1] > most || shape[2] > most || shape[3] > most ||
      (tensor->type != DataType::F32 && tensor->type != DataType::F16)) {
    throw InvalidInput(
        fmt::format("The tensor 'latents' of '{}' is {} {}; it must be [1, channels, height, width] of "
                    "f32 or f16 with extents of at most {}.",
                    path.string(), describe_dims(shape), to_string(tensor->type), most));
  }
  LatentsFile latents{.channels = static_cast<std::uint32_t>(shape[1]),
                      .height = static_cast<std::uint32_t>(shape[2]),
                      .width = static_cast<std::uint32_t>(shape[3]),
                      .values = std::vector<float>(tensor->size())};
  decode_row(tensor->type, tensor->bytes, latents.values);
  for (const float value : latents.values) {
    if (!std::isfinite(value)) throw InvalidInput(fmt::format("The latents of '{}' hold {}.", path.string(), value));
  }
  return latents;
}

void write_latents(const std::filesystem::path& path, const LatentsFile& latents) {
  const SafetensorsOutput tensor{.name = "latents",
                                 .type = DataType::F32,
                                 .shape = {1, latents.channels, latents.height, latents.width},
                                 .bytes = std::as_bytes(std::span(latents.values))};
  write_safetensors(path, std::span(&tensor, 1));
}

std::pair<std::uint32_t, std::uint32_t> parse_size(const std::string& text) {
  std::uint32_t sides[2] = {0, 0};
  const std::size_t cross = text.find('x');
  bool is_good = cross != std::string::npos;
  const std::string_view parts[2] = {std::string_view(text).substr(0, cross),
                                     is_good ? std::string_view(text).substr(cross + 1) : std::string_view()};
  for (std::size_t i = 0; i < 2; ++i) {
    const char* const end = parts[i].data() + parts[i].size();
    const auto [rest, error] = std::from_chars(parts[i].data(), end, sides[i]);
    is_good = is_good && error == std::errc() && rest == end && !parts[i].empty();
  }
  if (!is_good) {
    throw ::CLI::ValidationError("--size", fmt::format("'{}' is no size such as 512x384", text.substr(0, 60)));
  }
  return {sides[0], sides[1]};
}

std::filesystem::path numbered(const std::filesystem::path& path, std::uint32_t index, std::uint32_t count) {
  if (count == 1) return path;
  std::filesystem::path result = path;
  result.replace_filename(fmt::format("{}-{}{}", path.stem().string(), index + 1, path.extension().string()));
  return result;
}

void check_writable(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (path.filename().empty() || std::filesystem::is_directory(path, error)) {
    throw InvalidInput(fmt::format("'{}' is a folder; a file is written.", path.string()));
  }
  if (!std::filesystem::is_directory(folder, error) || ::access(folder.c_str(), W_OK) != 0) {
    throw InvalidInput(fmt::format("'{}' cannot be written: '{}' is no folder that can be written to.", path.string(),
                                   folder.string()));
  }
  // A file is replaced by one of another name, which alone would not ask for the right to write to it.
  if (::access(path.c_str(), W_OK) != 0 && errno != ENOENT) {
    throw InvalidInput(fmt::format("'{}' cannot be written: {}.", path.string(), std::strerror(errno)));
  }
}

}  // namespace driftwood::cli
