// A back end as the registry sees it: what it finds, and how to open each of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.h"

namespace driftwood::gpu {

/// A device that was found, not yet opened.
struct Candidate {
  std::string id;    // "opencl:0": the back end's name, a colon, its number there; "reference"
  std::string name;  // as the driver gives it
  DeviceClass device_class = DeviceClass::OtherGpu;
  std::function<std::unique_ptr<Device>()> open = {};  // throws Error where the driver cannot
};

/// A driver or device that cannot be used, and why, as a sentence.
struct UnusableDriver {
  std::string name;
  std::string reason;
};

struct BackEndDevices {
  std::vector<Candidate> devices = {};
  std::vector<UnusableDriver> failures = {};
};

struct BackEnd {
  std::string name;  // the part of an id before its colon
  /// Loads the drivers; may take long. An Error that it throws counts as a driver that cannot be used.
  std::function<BackEndDevices()> enumerate;
};

/// Those of this build. Where a GPU is found through two of them, it runs faster through the one that comes first.
std::vector<BackEnd> back_ends();

/// True for the names of drivers that compute a GPU's API on the CPU (llvmpipe, SwiftShader and the like), whatever
/// else they claim to be.
bool is_software_name(std::string_view name);

/// True where two names, by different drivers, may well mean the same device: all words of one are in the other, case,
/// trade marks and what stands in brackets aside.
bool is_same_name(std::string_view a, std::string_view b);

}  // namespace driftwood::gpu
