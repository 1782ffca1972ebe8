#include "llm/log_sum_exp.h"

#include <algorithm>
#include <cmath>

namespace driftwood::llm {

double log_sum_exp(std::span<const float> logits) {
  const double largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum);
}

}  // namespace driftwood::llm
