#include "measure/chrome_trace.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace driftwood::measure {
namespace {

constexpr int host_track = 1, device_track = 2;

nlohmann::json name_of(const char* what, int track, const std::string& name) {
  nlohmann::json event = {{"ph", "M"}, {"pid", 1}, {"name", what}, {"args", {{"name", name}}}};
  if (track != 0) event["tid"] = track;
  return event;
}

// Whole nanoseconds, of which JSON's numbers hold all digits: events that follow one another then neither overlap nor
// leave gaps by rounding.
nlohmann::json span_of(int track, const std::string& name, double start_ns, double end_ns) {
  return {{"ph", "X"},
          {"pid", 1},
          {"tid", track},
          {"name", name},
          {"ts", start_ns / 1000},
          {"dur", (end_ns - start_ns) / 1000}};
}

nlohmann::json arguments_of(const graph::DispatchProfile& dispatch, const std::optional<Ceilings>& ceilings) {
  nlohmann::json arguments = {{"label", dispatch.label},
                              {"bytes", dispatch.bytes},
                              {"flops", dispatch.flops},
                              {"arithmetic", graph::to_string(dispatch.arithmetic)}};
  if (dispatch.nanoseconds > 0) {
    arguments["gb_per_s"] = dispatch.bytes / dispatch.nanoseconds;
    arguments["gflop_per_s"] = dispatch.flops / dispatch.nanoseconds;
  }
  if (const auto share = share_of_limit(dispatch, ceilings)) arguments["share_of_limit"] = *share;
  return arguments;
}

}  // namespace

std::string chrome_trace(std::span<const Stage> stages, const std::optional<Ceilings>& ceilings,
                         const std::string& device) {
  nlohmann::json events = nlohmann::json::array({name_of("process_name", 0, "driftwood"),
                                                 name_of("thread_name", host_track, "host: submission"),
                                                 name_of("thread_name", device_track, "device: " + device)});
  double start = 0;
  for (const Stage& stage : stages) {
    for (const Step& step : stage.steps) {
      const std::string name = step.name.empty() ? stage.name : step.name;
      const double submitted = start + std::round(1e6 * step.submit_ms);
      double done = std::max(submitted, start + std::round(1e6 * step.wall_ms));
      events.push_back(span_of(host_track, "submit " + name, start, submitted));
      events.push_back(span_of(host_track, "wait", submitted, done));
      double at = start;
      for (const graph::DispatchProfile& dispatch : step.dispatches) {
        const double end = at + std::round(dispatch.nanoseconds);
        nlohmann::json event = span_of(device_track, std::string(dispatch.kernel), at, end);
        event["args"] = arguments_of(dispatch, ceilings);
        events.push_back(std::move(event));
        at = end;
      }
      start = std::max(done, at);
    }
  }
  const nlohmann::json document = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace driftwood::measure
