#include "conformance/case.h"

namespace driftwood::conformance {

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (auto table :
       {norm_cases, layer_norm_cases, group_statistics_cases, linear_cases, gated_linear_cases, qkv_linear_cases,
        conv2d_cases, concat_cases, token_cases, rope_cases, cache_cases, attention_cases, multi_head_attention_cases,
        element_wise_cases, quantize_tokens_cases, integer_linear_cases, integer_gated_linear_cases}) {
    for (Case& each : table()) all.push_back(std::move(each));
  }
  return all;
}

}  // namespace driftwood::conformance
