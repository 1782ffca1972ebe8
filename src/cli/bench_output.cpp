#include "cli/bench_output.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <numeric>

#include "cli/options.h"

namespace driftwood::cli {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

namespace {

std::string csv_field(const nlohmann::json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string time_now() {
  char time[32] = {};
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", ::gmtime_r(&now, &utc));
  return time;
}

nlohmann::json timings(const std::vector<double>& seconds, const std::vector<double>& rates) {
  std::vector<std::uint64_t> nanoseconds;
  nanoseconds.reserve(seconds.size());
  for (const double s : seconds) nanoseconds.push_back(static_cast<std::uint64_t>(s * 1e9));
  const std::vector<double> whole(nanoseconds.begin(), nanoseconds.end());
  return {{"test_time", time_now()},
          {"avg_ns", static_cast<std::uint64_t>(mean(whole))},
          {"stddev_ns", static_cast<std::uint64_t>(deviation(whole))},
          {"avg_ts", mean(rates)},
          {"stddev_ts", deviation(rates)},
          {"samples_ns", nanoseconds},
          {"samples_ts", rates}};
}

bool print_rows(const std::vector<nlohmann::json>& rows, const std::string& format) {
  if (format == "json") {
    print_json(rows);
  } else if (format == "jsonl") {
    for (const nlohmann::json& row : rows) print_json(row);
  } else if (format == "csv") {
    std::vector<std::string> names, fields;
    for (const auto& [name, value] : rows.front().items()) names.push_back(name);
    fmt::print("{}\n", fmt::join(names, ","));
    for (const nlohmann::json& row : rows) {
      fields.clear();
      for (const auto& [name, value] : row.items()) fields.push_back(csv_field(value));
      fmt::print("{}\n", fmt::join(fields, ","));
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace driftwood::cli
