// The devices of this machine by id: "opencl:0" and so on, and "reference", which every machine has.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/device.h"

namespace driftwood::gpu {

/// A device or driver that was looked for. Where `failure` is empty the facts are whole; else it says in a sentence why
/// the device or driver cannot be used, and of the facts only id and name (of a driver: its library or file) are set.
struct DeviceListing {
  DeviceFacts facts;
  std::string failure;
};

/// Opens every device once for its facts. The best come first: GPUs, then OpenCL's CPU devices, then the reference;
/// what cannot be used comes last. Never throws for a broken driver.
std::vector<DeviceListing> list_devices();

/// Opens the device of that id. Empty: the one named by $DRIFTWOOD_DEVICE, else the first GPU that opens, else an
/// OpenCL CPU device, else the reference; anything less than a GPU is said on stderr. Throws InvalidInput for an
/// unknown id, with the known ones; DeviceLost where the device named does not open.
std::unique_ptr<Device> open_device(std::string_view id = {});

/// A fact in the form of JSON: name, and value as JSON text (true, 1024, "text", [1,2,3]).
using NamedFact = std::pair<std::string, std::string>;

/// The facts beyond id, name, api and driver, in the order of DeviceFacts.
std::vector<NamedFact> named_facts(const DeviceFacts& facts);

}  // namespace driftwood::gpu
