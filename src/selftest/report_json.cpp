#include "selftest/report_json.h"

#include <fmt/format.h>

#include "base/error.h"

namespace driftwood::selftest {
namespace {

constexpr Scope scopes[] = {Scope::Language, Scope::Images, Scope::Everything};
constexpr Verdict verdicts[] = {Verdict::Right, Verdict::Wrong, Verdict::Failed, Verdict::Lost};

// The value of that name; throws InvalidInput where there is none.
auto named(const auto& values, const nlohmann::json& name) {
  const auto& wanted = name.get_ref<const std::string&>();
  for (const auto value : values) {
    if (to_string(value) == wanted) return value;
  }
  throw InvalidInput(fmt::format("'{}' is no name in a report.", wanted));
}

}  // namespace

nlohmann::json to_json(const Report& report) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const Finding& finding : report.findings) {
    kernels.push_back({{"kernel", finding.kernel},
                       {"cases", finding.cases},
                       {"verdict", to_string(finding.verdict)},
                       {"fault", finding.fault},
                       {"instead", finding.instead}});
  }
  return {{"device", report.id},
          {"name", report.name},
          {"driver", report.driver},
          {"scope", to_string(report.scope)},
          {"full", report.is_full},
          {"kernels", std::move(kernels)},
          {"amendments", {{"kernels", report.amendments.kernels}, {"features", report.amendments.features}}},
          {"lost", report.lost},
          {"milliseconds", report.milliseconds},
          {"right", report.is_right()},
          {"worked_around", report.is_worked_around()}};
}

std::optional<Report> report_from(const nlohmann::json& document) try {
  Report report{.id = document.at("device").get<std::string>(),
                .name = document.at("name").get<std::string>(),
                .driver = document.at("driver").get<std::string>(),
                .scope = named(scopes, document.at("scope")),
                .is_full = document.at("full").get<bool>()};
  for (const nlohmann::json& kernel : document.at("kernels")) {
    report.findings.push_back({.kernel = kernel.at("kernel").get<std::string>(),
                               .cases = kernel.at("cases").get<std::size_t>(),
                               .verdict = named(verdicts, kernel.at("verdict")),
                               .fault = kernel.at("fault").get<std::string>(),
                               .instead = kernel.at("instead").get<std::string>()});
  }
  const nlohmann::json& amendments = document.at("amendments");
  report.amendments = {.kernels = amendments.at("kernels").get<std::vector<std::string>>(),
                       .features = amendments.at("features").get<std::vector<std::string>>()};
  report.lost = document.at("lost").get<std::string>();
  report.milliseconds = document.at("milliseconds").get<double>();
  return report;
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
} catch (const InvalidInput&) {
  return std::nullopt;
}

}  // namespace driftwood::selftest
