// Medians, spreads and intervals of few measurements that are not normally distributed: times on a clock.
#pragma once

#include <cstddef>
#include <vector>

namespace driftwood::measure {

/// The middle of the values, or the mean of the two in the middle; 0 of none.
double median(std::vector<double> values);

/// The value below which a part of the values lies, between neighbours in proportion; 0 of none.
double quantile(std::vector<double> values, double part);

/// Half the distance between the quartiles in parts of the median.
double relative_spread(const std::vector<double>& values);

/// An interval for the median.
struct Interval {
  double low = 0, high = 0;
  double confidence = 0;  // at least; of few values less than asked for
  bool operator==(const Interval&) const = default;
};

/// By order statistics, whatever the distribution: the narrowest pair of values, as far from either end, that holds the
/// median with the confidence asked for; smallest and largest where no pair does.
Interval median_interval(std::vector<double> values, double confidence = 0.95);

}  // namespace driftwood::measure
