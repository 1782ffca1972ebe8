#include "measure/statistics.h"

#include <algorithm>
#include <cmath>

namespace driftwood::measure {
namespace {

/// The probability that fewer than k of n values lie below the median.
double below(std::size_t n, std::size_t k) {
  double sum = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const auto count = static_cast<double>(n), chosen = static_cast<double>(i);
    sum += std::exp(std::lgamma(count + 1) - std::lgamma(chosen + 1) - std::lgamma(count - chosen + 1) -
                    count * std::log(2.0));
  }
  return sum;
}

}  // namespace

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double place = part * static_cast<double>(values.size() - 1);
  const auto before = static_cast<std::size_t>(place);
  if (before + 1 >= values.size()) return values.back();
  return values[before] + (place - static_cast<double>(before)) * (values[before + 1] - values[before]);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double relative_spread(const std::vector<double>& values) {
  const double middle = median(values);
  return middle == 0 ? 0 : (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / middle;
}

Interval median_interval(std::vector<double> values, double confidence) {
  const std::size_t n = values.size();
  if (n == 0) return {};
  std::ranges::sort(values);
  std::size_t k = 1;  // the k-th from either end
  while (2 * (k + 1) <= n && 1 - 2 * below(n, k + 1) >= confidence) ++k;
  return {values[k - 1], values[n - k], n == 1 ? 0 : 1 - 2 * below(n, k)};
}

}  // namespace driftwood::measure
