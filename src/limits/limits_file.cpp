#include "limits/limits_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "formats/guarded_json.h"
#include "formats/quote.h"

namespace driftwood::limits {
namespace {

constexpr std::size_t most_bytes = 64 << 10;

[[noreturn]] void refuse(std::string_view what, std::string_view name, const nlohmann::json& value,
                         const std::string& wanted) {
  throw InvalidInput(fmt::format("{}: the limit '{}' is {}, not {}.", what, name,
                                 quote_name(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)),
                                 wanted));
}

void read(std::string_view what, std::string_view name, const nlohmann::json& value, bool& result) {
  if (!value.is_boolean()) refuse(what, name, value, "true or false");
  result = value.get<bool>();
}

template <class Number>
void read(std::string_view what, std::string_view name, const nlohmann::json& value, Number& result) {
  constexpr std::uint64_t most = std::numeric_limits<Number>::max();
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
    refuse(what, name, value, fmt::format("a whole number from 0 to {}", most));
  result = static_cast<Number>(value.get<std::uint64_t>());
}

template <class Number, std::size_t N>
void read(std::string_view what, std::string_view name, const nlohmann::json& value, std::array<Number, N>& result) {
  if (!value.is_array() || value.size() != N) refuse(what, name, value, fmt::format("a list of {} numbers", N));
  for (std::size_t i = 0; i < N; ++i) read(what, name, value[i], result[i]);
}

}  // namespace

gpu::DeviceLimits parse_limits(std::string_view text, std::string_view what) {
  const nlohmann::json document = parse_json(text, what, {.depth = 4});
  if (!document.is_object()) throw InvalidInput(fmt::format("{} is no JSON object of limits.", what));
  gpu::DeviceLimits limits;
  std::vector<std::string_view> known;
  std::size_t found = 0;
  gpu::for_each_limit([&](std::string_view name, auto limit, auto, gpu::LimitKind, int) {
    known.push_back(name);
    const auto value = document.find(name);
    if (value == document.end()) return;
    ++found;
    read(what, name, *value, (limits.*limit).emplace());
  });
  if (found == document.size()) return limits;
  for (const auto& [name, value] : document.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InvalidInput(
          fmt::format("{}: there is no limit {}; known are {}.", what, quote_name(name), fmt::join(known, ", ")));
  }
  return limits;
}

gpu::DeviceLimits read_limits(const std::filesystem::path& path) {
  const std::string what = fmt::format("The limits file {}", quote_name(path.string()));
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw InvalidInput(what + " is a folder.");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InvalidInput(what + " cannot be opened.");
  std::string text(most_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw InvalidInput(what + " cannot be read.");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most_bytes) throw InvalidInput(fmt::format("{} has more than {} bytes.", what, most_bytes));
  return parse_limits(text, what);
}

nlohmann::json to_json(const gpu::DeviceLimits& limits) {
  nlohmann::json document = nlohmann::json::object();
  gpu::for_each_limit([&](const char* name, auto limit, auto, gpu::LimitKind, int) {
    if (const auto& value = limits.*limit) document[name] = *value;
  });
  return document;
}

}  // namespace driftwood::limits
