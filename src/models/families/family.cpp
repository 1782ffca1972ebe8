#include "models/families/family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace driftwood::models {
namespace {

constexpr std::array<const Family*, 8> table = {&llama, &mistral, &qwen2, &qwen3, &phi3, &gemma, &gemma2, &gemma3};

const Family& find(std::string_view what, std::string_view name, FamilyNames Family::*names) {
  std::vector<std::string_view> known;
  for (const Family* family : table) {
    for (const std::string_view own : family->*names) {
      if (own.empty()) continue;
      if (own == name) return *family;
      known.push_back(own);
    }
  }
  throw Unsupported(
      fmt::format("The {} '{}' is not supported; supported are '{}'.", what, name, fmt::join(known, "', '")));
}

}  // namespace

std::span<const Family* const> families() { return table; }

const Family& family_of_architecture(std::string_view architecture) {
  return find("architecture", architecture, &Family::architectures);
}

const Family& family_of_model_type(std::string_view model_type) {
  return find("model type", model_type, &Family::model_types);
}

void require_activation(const HfConfig& hf, std::initializer_list<std::string_view> known) {
  if (std::ranges::find(known, hf.hidden_act) == known.end())
    throw Unsupported(fmt::format("'hidden_act' is '{}'; supported for '{}' is '{}'.", hf.hidden_act, hf.model_type,
                                  fmt::join(known, "', '")));
}

}  // namespace driftwood::models
