#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/checked.h"
#include "base/error.h"
#include "formats/quote.h"
#include "formats/safetensors.h"
#include "formats/safetensors_header.h"

namespace driftwood {
namespace {

constexpr std::size_t header_alignment = 8;  // so that the data of any type are aligned when mapped

// Keys keep their order here; the plain json type would sort them.
using nlohmann::ordered_json;

std::string make_header(std::span<const SafetensorsOutput> tensors,
                        const std::map<std::string, std::string>& metadata) {
  ordered_json header = ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t offset = 0;
  std::set<std::string_view> names;
  for (const SafetensorsOutput& tensor : tensors) {
    if (tensor.name.empty() || tensor.name == "__metadata__" || !names.insert(tensor.name).second) {
      throw InvalidInput(fmt::format("A tensor cannot be written under the name {}, which is empty, reserved or taken.",
                                     quote_name(tensor.name)));
    }
    const std::vector<std::uint64_t> dims(tensor.shape.rbegin(), tensor.shape.rend());
    const std::uint64_t bytes = stored_bytes(tensor.name, tensor.type, dims);
    if (bytes != tensor.bytes.size()) {
      throw InvalidInput(fmt::format("The tensor {} of shape {} and type {} takes {} bytes, but {} are given.",
                                     quote_name(tensor.name), describe_dims(tensor.shape), to_string(tensor.type),
                                     bytes, tensor.bytes.size()));
    }
    header[tensor.name] = {{"dtype", safetensors_type_name(tensor.type)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const ordered_json::exception& error) {
    throw InvalidInput(
        fmt::format("The names of the tensors cannot be written as JSON: {}.", quote_name(error.what())));
  }
  text.resize(round_up(text.size(), header_alignment), ' ');
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const SafetensorsOutput> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string header = make_header(tensors, metadata);
  const std::uint64_t length = header.size();
  // Renaming replaces whatever is at `path`, which must not happen to a device such as /dev/null or a pipe.
  std::error_code ignored;
  const std::filesystem::file_status old = std::filesystem::status(path, ignored);
  const bool replace = !std::filesystem::exists(old) || std::filesystem::is_regular_file(old);
  std::filesystem::path target = path;
  if (replace) target += fmt::format(".{}.partial", ::getpid());

  std::ofstream stream(target, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(&length), sizeof length);
  stream.write(header.data(), static_cast<std::streamsize>(header.size()));
  for (const SafetensorsOutput& tensor : tensors) {
    stream.write(reinterpret_cast<const char*>(tensor.bytes.data()), static_cast<std::streamsize>(tensor.bytes.size()));
  }
  stream.close();
  if (stream.fail() || (replace && std::rename(target.c_str(), path.c_str()) != 0)) {
    const int reason = errno;
    if (replace) std::filesystem::remove(target, ignored);
    throw InvalidInput(fmt::format("The file '{}' cannot be written: {}.", path.string(), std::strerror(reason)));
  }
}

}  // namespace driftwood
