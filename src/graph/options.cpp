#include "graph/options.h"

#include <array>
#include <utility>

namespace driftwood::graph {

namespace {

constexpr std::array<std::pair<Precision, std::string_view>, 3> precisions = {
    {{Precision::Auto, "auto"}, {Precision::F32, "f32"}, {Precision::F16, "f16"}}};
constexpr std::array<std::pair<ActivationMode, std::string_view>, 3> modes = {
    {{ActivationMode::Auto, "auto"}, {ActivationMode::Float, "float"}, {ActivationMode::Int8, "int8"}}};

constexpr std::array<std::pair<WeightRows, std::string_view>, 2> weight_rows = {
    {{WeightRows::Interleaved, "interleaved"}, {WeightRows::Separate, "separate"}}};
constexpr std::array<std::pair<CacheLayout, std::string_view>, 2> cache_layouts = {
    {{CacheLayout::TokenMajor, "token-major"}, {CacheLayout::TokenMinor, "token-minor"}}};

constexpr std::array<std::pair<DecodeLaunches, std::string_view>, 3> decode_launches = {
    {{DecodeLaunches::Auto, "auto"}, {DecodeLaunches::One, "one"}, {DecodeLaunches::Many, "many"}}};

template <class T, std::size_t count>
std::string_view name_of(const std::array<std::pair<T, std::string_view>, count>& table, T value) {
  for (const auto& [entry, name] : table) {
    if (entry == value) return name;
  }
  return "unknown";
}

template <class T, std::size_t count>
std::optional<T> value_of(const std::array<std::pair<T, std::string_view>, count>& table, std::string_view wanted) {
  for (const auto& [entry, name] : table) {
    if (name == wanted) return entry;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Precision precision) { return name_of(precisions, precision); }
std::string_view to_string(ActivationMode mode) { return name_of(modes, mode); }
std::string_view to_string(WeightRows rows) { return name_of(weight_rows, rows); }
std::string_view to_string(CacheLayout layout) { return name_of(cache_layouts, layout); }
std::string_view to_string(DecodeLaunches launches) { return name_of(decode_launches, launches); }
std::optional<Precision> precision_from_name(std::string_view name) { return value_of(precisions, name); }
std::optional<ActivationMode> activation_mode_from_name(std::string_view name) { return value_of(modes, name); }
std::optional<WeightRows> weight_rows_from_name(std::string_view name) { return value_of(weight_rows, name); }
std::optional<CacheLayout> cache_layout_from_name(std::string_view name) { return value_of(cache_layouts, name); }
std::optional<DecodeLaunches> decode_launches_from_name(std::string_view name) {
  return value_of(decode_launches, name);
}

}  // namespace driftwood::graph
