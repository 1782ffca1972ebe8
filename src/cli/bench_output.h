// What the benchmarks of language models and of image models print alike.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace driftwood::cli {

/// "2026-11-29T12:00:00Z".
std::string time_now();

double mean(const std::vector<double>& values);
/// Standard deviation of a sample; 0 of fewer than two values.
double deviation(const std::vector<double>& values);

/// What a row says of the times of its repeats, in seconds, and of their rates: the time of day, mean, deviation and
/// samples of both.
nlohmann::json timings(const std::vector<double>& seconds, const std::vector<double>& rates);

/// Prints the rows as json, jsonl or csv; false where `format` is none of these.
bool print_rows(const std::vector<nlohmann::json>& rows, const std::string& format);

}  // namespace driftwood::cli
