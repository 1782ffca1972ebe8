#include "gpu/registry.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.h"
#include "base/log.h"
#include "gpu/opencl/opencl_device.h"
#include "gpu/reference/reference_device.h"

namespace driftwood::gpu {
namespace {

constexpr std::string_view reference_id = "reference";

// The first device of the kind that opens; what does not is said and passed over.
std::unique_ptr<Device> open_first(const opencl::Enumeration& found, bool is_cpu) {
  for (const opencl::FoundDevice& device : found.devices) {
    if (device.is_cpu != is_cpu) continue;
    try {
      return std::make_unique<opencl::OpenClDevice>(device);
    } catch (const Error& error) {
      log(LogLevel::Warning,
          fmt::format("The device '{}' ({}) is passed over: {}", device.id, device.name, error.message()));
    }
  }
  return nullptr;
}

std::unique_ptr<Device> open_default(const opencl::Enumeration& found) {
  if (auto device = open_first(found, false)) return device;
  if (auto device = open_first(found, true)) {
    log(LogLevel::Info, fmt::format("No GPU is found; running on the CPU through OpenCL ({}, {}).", device->facts().id,
                                    device->facts().name));
    return device;
  }
  log(LogLevel::Warning, "No OpenCL device is found; running on the reference interpreter, which is very slow.");
  return make_reference_device();
}

}  // namespace

std::vector<DeviceListing> list_devices() {
  const opencl::Enumeration found = opencl::enumerate();
  std::vector<DeviceListing> devices, failures;
  for (const opencl::FoundDevice& device : found.devices) {
    try {
      devices.push_back({opencl::OpenClDevice(device).facts(), {}});
    } catch (const Error& error) {
      DeviceListing failed{.facts = {}, .failure = error.message()};
      failed.facts.id = device.id;
      failed.facts.name = device.name;
      failures.push_back(std::move(failed));
    }
  }
  devices.push_back({make_reference_device()->facts(), {}});
  for (const opencl::DriverFailure& failure : found.failures) {
    DeviceListing failed{.facts = {}, .failure = failure.reason};
    failed.facts.id = "opencl";
    failed.facts.name = failure.source;
    failures.push_back(std::move(failed));
  }
  devices.insert(devices.end(), failures.begin(), failures.end());
  return devices;
}

std::unique_ptr<Device> open_device(std::string_view id) {
  std::string wanted(id);
  if (wanted.empty()) {
    if (const char* configured = std::getenv("DRIFTWOOD_DEVICE")) wanted = configured;
  }
  if (wanted == reference_id) return make_reference_device();
  const opencl::Enumeration found = opencl::enumerate();
  if (wanted.empty()) return open_default(found);
  std::string known;
  for (const opencl::FoundDevice& device : found.devices) {
    if (device.id == wanted) return std::make_unique<opencl::OpenClDevice>(device);
    known += fmt::format("'{}' ({}), ", device.id, device.name);
  }
  throw InvalidInput(fmt::format("There is no device '{}'; known are {}'{}'.", wanted, known, reference_id));
}

}  // namespace driftwood::gpu
