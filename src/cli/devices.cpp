#include <fmt/format.h>

#include "cli/command.h"
#include "cli/options.h"
#include "gpu/registry.h"

namespace driftwood::cli {
namespace {

void devices(bool json) {
  const std::vector<gpu::DeviceListing> listings = gpu::list_devices();
  nlohmann::json documents = nlohmann::json::array();
  for (const gpu::DeviceListing& listing : listings) {
    const gpu::DeviceFacts& facts = listing.facts;
    if (!json) {
      if (!listing.failure.empty()) {
        fmt::print("{:<12} {}\n{:<12} cannot be used: {}\n", facts.id, facts.name, "", listing.failure);
        continue;
      }
      fmt::print("{:<12} {}\n{:<12} {}, {}, driver {}\n", facts.id, facts.name, "", to_string(facts.device_class),
                 facts.api, facts.driver);
      if (!listing.note.empty()) fmt::print("{:<12} {}\n", "", listing.note);
      for (const auto& [name, value] : gpu::named_facts(facts)) fmt::print("{:<12}   {:<24} {}\n", "", name, value);
      continue;
    }
    nlohmann::json document = {{"id", facts.id}, {"name", facts.name}, {"api", facts.api}, {"driver", facts.driver}};
    nlohmann::json named = nlohmann::json::object();
    document["default"] = listing.is_default;
    if (!listing.note.empty()) document["note"] = listing.note;
    if (listing.failure.empty())
      for (const auto& [name, value] : gpu::named_facts(facts)) named[name] = nlohmann::json::parse(value);
    else
      document["failure"] = listing.failure;
    document["facts"] = std::move(named);
    documents.push_back(std::move(document));
  }
  if (json) print_json(documents);
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("devices", "Devices found and their facts; drivers that failed to load, and why");
  command->add_flag("--json", *json, "One JSON document on standard output");
  command->callback([json, &action] { action = [json] { devices(*json); }; });
}

}  // namespace driftwood::cli
