#include "shader/builtins.h"

#include <array>
#include <unordered_map>

namespace driftwood::shader {

namespace {

constexpr std::string_view names[] = {
#define DRIFTWOOD_NAME(enumerator, name) #name,
    DRIFTWOOD_BUILTINS(DRIFTWOOD_NAME)
#undef DRIFTWOOD_NAME
};

}  // namespace

std::string_view to_string(Builtin builtin) { return names[static_cast<std::size_t>(builtin)]; }

std::optional<Builtin> builtin_from_name(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, Builtin> table;
    for (std::size_t i = 0; i < std::size(names); ++i) table.emplace(names[i], static_cast<Builtin>(i));
    return table;
  }();
  const auto found = by_name.find(name);
  if (found == by_name.end()) return std::nullopt;
  return found->second;
}

}  // namespace driftwood::shader
