// A kernel and values of its parameters as arguments of a micro-benchmark: KERNEL [PARAMETER=VALUE ...], as
// 'driftwood tune --list' names them.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "graph/choices.h"

namespace driftwood::bench {

/// What the arguments from `first` on choose for every node that the kernel can take; no more arguments: nothing.
/// Throws InvalidInput for one that is no PARAMETER=VALUE.
inline std::shared_ptr<const graph::Choices> choices_from(int first, int argc, char** argv) {
  graph::NodeChoice choice;
  if (argc > first) choice.kernel = argv[first];
  for (int i = first + 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    const std::size_t end = text.find('=');
    std::uint32_t value = 0;
    const std::string_view digits = end == std::string_view::npos ? "" : text.substr(end + 1);
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || rest != digits.data() + digits.size())
      throw InvalidInput(fmt::format("'{}' is no PARAMETER=VALUE with a whole number.", text));
    choice.values[std::string(text.substr(0, end))] = value;
  }
  const auto choices = std::make_shared<graph::Choices>();
  choices->add_for_all(std::move(choice));
  return choices;
}

}  // namespace driftwood::bench
