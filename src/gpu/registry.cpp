#include "gpu/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/log.h"

namespace driftwood::gpu {
namespace {

bool is_gpu(DeviceClass device_class) { return device_class <= DeviceClass::OtherGpu; }

std::string_view back_end_of(std::string_view id) { return id.substr(0, id.find(':')); }

BackEndDevices enumerate(const BackEnd& back_end) {
  try {
    BackEndDevices found = back_end.enumerate();
    for (Candidate& device : found.devices) {
      if (is_gpu(device.device_class) && is_software_name(device.name)) device.device_class = DeviceClass::Software;
    }
    return found;
  } catch (const Error& error) {
    return {.failures = {{back_end.name, error.message()}}};
  }
}

// One driver may say less than another of what a GPU is.
void share_classes(std::vector<Candidate>& devices) {
  for (Candidate& device : devices) {
    for (const Candidate& other : devices) {
      if (is_gpu(device.device_class) && is_gpu(other.device_class) && is_same_name(device.name, other.name))
        device.device_class = std::min(device.device_class, other.device_class);
    }
  }
}

void sort(std::vector<Candidate>& devices) {
  share_classes(devices);
  std::stable_sort(devices.begin(), devices.end(),
                   [](const Candidate& a, const Candidate& b) { return a.device_class < b.device_class; });
}

std::unique_ptr<Device> open_or_pass(const Candidate& candidate) {
  try {
    return candidate.open();
  } catch (const Error& error) {
    log(LogLevel::Warning,
        fmt::format("The device '{}' ({}) is passed over: {}", candidate.id, candidate.name, error.message()));
    return nullptr;
  }
}

std::string names_of(const std::vector<Candidate>& devices) {
  std::vector<std::string> names;
  for (const Candidate& device : devices) names.push_back(fmt::format("'{}' ({})", device.id, device.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

// A back end named alone: its best device, software aside.
std::unique_ptr<Device> open_best(const BackEnd& back_end, BackEndDevices found) {
  sort(found.devices);
  const bool has_software_alone = !found.devices.empty() && found.devices.front().device_class == DeviceClass::Software;
  if (has_software_alone) {
    throw InvalidInput(
        fmt::format("'{}' has no device but software that computes a GPU's work on the CPU, which must be "
                    "named by its own id: {}.",
                    back_end.name, names_of(found.devices)));
  }
  for (const Candidate& candidate : found.devices) {
    if (candidate.device_class == DeviceClass::Software) continue;
    if (auto device = open_or_pass(candidate)) return device;
  }
  std::vector<std::string> reasons;
  for (const UnusableDriver& failure : found.failures) reasons.push_back(failure.name + ": " + failure.reason);
  throw InvalidInput(fmt::format("'{}' has no device that opens{}", back_end.name,
                                 reasons.empty() ? "." : fmt::format(" ({}).", fmt::join(reasons, " "))));
}

// What a GPU's own line, or the reader of a log, is told of a choice that is less than a GPU.
void say_lesser(const Device& device, DeviceClass device_class) {
  if (device_class == DeviceClass::Cpu) {
    log(LogLevel::Info,
        fmt::format("No GPU is found; running on the CPU ({}, {}).", device.facts().id, device.facts().name));
  } else if (device_class == DeviceClass::Reference) {
    log(LogLevel::Warning,
        "No GPU and no driver for the CPU is found; running on the reference interpreter, which is very slow.");
  }
}

std::string default_of_environment() {
  const char* configured = std::getenv("DRIFTWOOD_DEVICE");
  return configured != nullptr ? configured : "";
}

bool may_be_chosen(const Candidate& candidate, const std::string& wanted) {
  if (candidate.id == wanted) return true;
  if (candidate.device_class == DeviceClass::Software) return false;
  return wanted.empty() || back_end_of(candidate.id) == wanted;
}

std::string note_of(const DeviceListing& listing, const DeviceListing& chosen, const std::string& wanted) {
  const DeviceFacts &facts = listing.facts, &best = chosen.facts;
  if (listing.is_default)
    return wanted.empty() ? "The default." : fmt::format("The default: DRIFTWOOD_DEVICE is '{}'.", wanted);
  if (facts.device_class == DeviceClass::Software)
    return "Software that computes a GPU's work on the CPU: used only where it is named.";
  if (best.id.empty()) return "";
  if (!wanted.empty()) return fmt::format("Not the default: DRIFTWOOD_DEVICE is '{}'.", wanted);
  if (is_gpu(facts.device_class) && back_end_of(facts.id) != back_end_of(best.id) &&
      is_same_name(facts.name, best.name))
    return fmt::format("Not the default: the same GPU is '{}', which is expected to be faster.", best.id);
  if (facts.device_class != best.device_class)
    return fmt::format("Not the default: '{}' comes first, {} before {}.", best.id, to_string(best.device_class),
                       to_string(facts.device_class));
  return fmt::format("Not the default: '{}' comes first in the list.", best.id);
}

}  // namespace

std::vector<DeviceListing> Registry::list() const {
  std::vector<Candidate> candidates;
  std::vector<DeviceListing> devices, failures;
  for (const BackEnd& back_end : back_ends_) {
    BackEndDevices found = enumerate(back_end);
    std::move(found.devices.begin(), found.devices.end(), std::back_inserter(candidates));
    for (UnusableDriver& failure : found.failures) {
      DeviceListing& failed = failures.emplace_back();
      failed.facts.id = back_end.name;
      failed.facts.name = std::move(failure.name);
      failed.failure = std::move(failure.reason);
    }
  }
  sort(candidates);
  const std::string wanted = default_of_environment();
  std::vector<DeviceListing> unopened;
  DeviceListing chosen;
  for (const Candidate& candidate : candidates) {
    DeviceListing listing;
    try {
      listing.facts = candidate.open()->facts();
      listing.facts.device_class = candidate.device_class;
      listing.is_default = chosen.facts.id.empty() && may_be_chosen(candidate, wanted);
      if (listing.is_default) chosen = listing;
      devices.push_back(std::move(listing));
    } catch (const Error& error) {
      listing.facts.id = candidate.id;
      listing.facts.name = candidate.name;
      listing.facts.device_class = candidate.device_class;
      listing.failure = error.message();
      unopened.push_back(std::move(listing));
    }
  }
  for (DeviceListing& listing : devices) listing.note = note_of(listing, chosen, wanted);
  std::move(unopened.begin(), unopened.end(), std::back_inserter(devices));
  std::move(failures.begin(), failures.end(), std::back_inserter(devices));
  return devices;
}

std::unique_ptr<Device> Registry::open(std::string_view id) const {
  const std::string wanted = id.empty() ? default_of_environment() : std::string(id);
  if (wanted.empty()) return open_default();
  const auto named = std::find_if(back_ends_.begin(), back_ends_.end(),
                                  [&](const BackEnd& back_end) { return back_end.name == back_end_of(wanted); });
  std::vector<Candidate> known;
  for (const BackEnd& back_end : back_ends_) {
    if (named != back_ends_.end() && &back_end != &*named) continue;
    BackEndDevices found = enumerate(back_end);
    for (const Candidate& candidate : found.devices) {
      if (candidate.id == wanted) return candidate.open();
    }
    if (back_end.name == wanted) return open_best(back_end, std::move(found));
    std::move(found.devices.begin(), found.devices.end(), std::back_inserter(known));
  }
  std::vector<std::string> names;
  for (const BackEnd& back_end : back_ends_) names.push_back(fmt::format("'{}'", back_end.name));
  throw InvalidInput(
      fmt::format("There is no device '{}'; {} {}. The best device of an API has the API's name: {}.", wanted,
                  named != back_ends_.end() ? fmt::format("known of '{}' are", named->name) : "known are",
                  known.empty() ? "none" : names_of(known), fmt::join(names, ", ")));
}

std::unique_ptr<Device> Registry::open_default() const {
  std::vector<Candidate> candidates;
  std::set<std::string> tried;
  // Opens the first of these classes that was not tried.
  const auto open_first = [&](DeviceClass last) -> std::unique_ptr<Device> {
    for (const Candidate& candidate : candidates) {
      if (candidate.device_class > last) break;
      if (candidate.device_class == DeviceClass::Software) continue;
      if (!tried.insert(candidate.id).second) continue;
      if (auto device = open_or_pass(candidate)) {
        say_lesser(*device, candidate.device_class);
        return device;
      }
    }
    return nullptr;
  };
  for (const BackEnd& back_end : back_ends_) {
    BackEndDevices found = enumerate(back_end);
    std::move(found.devices.begin(), found.devices.end(), std::back_inserter(candidates));
    sort(candidates);
    if (auto device = open_first(DeviceClass::DiscreteGpu)) return device;
  }
  if (auto device = open_first(DeviceClass::Reference)) return device;
  throw DeviceLost("No device opens; 'driftwood devices' lists what was looked for.");
}

std::vector<DeviceListing> list_devices() { return Registry(back_ends()).list(); }

std::unique_ptr<Device> open_device(std::string_view id) { return Registry(back_ends()).open(id); }

}  // namespace driftwood::gpu
