// Arguments of micro-benchmarks that name a way: a kernel of the selection table, with values of parameters that it
// leaves to measurement, as in "attention-pipeline,teams=3,keys=128".
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "graph/choices.h"

namespace driftwood::bench {

inline std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(mark, from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

/// Throws InvalidInput for what is no number from 0 to 16777216.
inline std::uint32_t number_of(const std::string& text) {
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value > 1 << 24)
    throw InvalidInput(fmt::format("'{}' is no number from 0 to 16777216.", text));
  return value;
}

/// The way for every node that its kernel can take; an empty text: what the selection takes.
inline std::shared_ptr<const graph::Choices> choices_of(const std::string& way) {
  const std::vector<std::string> parts = split(way, ',');
  graph::NodeChoice choice{.kernel = parts[0]};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto pair = split(parts[i], '=');
    if (pair.size() != 2) throw InvalidInput(fmt::format("'{}' is no PARAMETER=VALUE.", parts[i]));
    choice.values[pair[0]] = number_of(pair[1]);
  }
  const auto choices = std::make_shared<graph::Choices>();
  choices->add_for_all(std::move(choice));
  return choices;
}

}  // namespace driftwood::bench
