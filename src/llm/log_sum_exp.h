// What turns a logit into a log likelihood: log p(token) = logits[token] - log_sum_exp(logits).
#pragma once

#include <span>

namespace driftwood::llm {

/// log of the sum of exp over the logits, in double precision and without overflow. `logits` is not empty.
double log_sum_exp(std::span<const float> logits);

}  // namespace driftwood::llm
