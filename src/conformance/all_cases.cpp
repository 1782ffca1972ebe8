#include <set>

#include "conformance/case.h"

namespace driftwood::conformance {
namespace {

// Of each operation and kind of memory one case in which nothing is to be done.
void add_idle_cases(std::vector<Case>& cases) {
  std::set<std::pair<std::string, StorageKind>> seen;
  const std::size_t count = cases.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!seen.emplace(cases[i].operation, cases[i].setting.storage).second) continue;
    Case idle = cases[i];
    idle.setting.is_idle = true;
    idle.everywhere = false;
    cases.push_back(std::move(idle));
  }
}

}  // namespace

std::vector<Setting> every_way(const Setting& base, std::span<const DataType> packed) {
  std::vector<Setting> settings;
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      for (const DataType format : packed) {
        settings.push_back(base);
        settings.back().storage = storage;
        settings.back().activation = type;
        settings.back().packed = format;
      }
    }
  }
  return settings;
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (auto table : {norm_cases, layer_norm_cases, group_statistics_cases, linear_cases, gated_linear_cases,
                     qkv_linear_cases, conv2d_cases, concat_cases, token_cases, sample_token_cases, rope_cases,
                     cache_cases, attention_cases, multi_head_attention_cases, element_wise_cases,
                     quantize_tokens_cases, integer_linear_cases, integer_gated_linear_cases}) {
    for (Case& each : table()) all.push_back(std::move(each));
  }
  add_idle_cases(all);
  return all;
}

}  // namespace driftwood::conformance
