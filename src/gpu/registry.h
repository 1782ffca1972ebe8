// The devices of this machine by id: "opencl:0", "webgpu:0" and so on, and "reference", which every machine has; and
// which of them is the default.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/back_end.h"
#include "gpu/device.h"

namespace driftwood::gpu {

/// A device or driver that was looked for. Where `failure` is empty the facts are whole; else it says in a sentence why
/// the device or driver cannot be used, and of the facts only id, name and (of a device) class are set; of a driver the
/// id is its back end's name and the name its library or file.
struct DeviceListing {
  DeviceFacts facts;
  std::string failure = {};
  bool is_default = false;  // the one that is opened where none is named, or by $DRIFTWOOD_DEVICE
  std::string note = {};    // of a device that opens: a sentence on why it is the default, or why another is
};

/// The devices of some back ends. Which one is the default:
/// - discrete before integrated before other GPUs, before CPUs that have a driver of their own (OpenCL's), before the
///   reference; a GPU that two back ends find is of the better of the two classes they give;
/// - in a class, the back end that comes first, and there the driver's order;
/// - software that computes a GPU's API is opened only by its own id.
/// Back ends are loaded as far as a choice needs them: for an id that of the id alone; for the default in order, until
/// one has a discrete GPU that opens.
class Registry {
 public:
  explicit Registry(std::vector<BackEnd> back_ends) : back_ends_(std::move(back_ends)) {}

  /// Opens every device once for its facts. In the order above, software before the reference, what cannot be
  /// used at the end. Never throws for a broken driver.
  std::vector<DeviceListing> list() const;

  /// Opens the device of that id, or the best of a back end that is named alone ("webgpu"). Empty: the one named by
  /// $DRIFTWOOD_DEVICE, else the default; anything less than a GPU is said on stderr. Throws InvalidInput for an
  /// unknown id, with the known ones, and for a back end that has software alone; DeviceLost where the device does not
  /// open.
  std::unique_ptr<Device> open(std::string_view id = {}) const;

 private:
  std::unique_ptr<Device> open_default() const;

  std::vector<BackEnd> back_ends_;
};

/// list() and open() of this build's back ends.
std::vector<DeviceListing> list_devices();
std::unique_ptr<Device> open_device(std::string_view id = {});

/// A fact in the form of JSON: name, and value as JSON text (true, 1024, "text", [1,2,3]).
using NamedFact = std::pair<std::string, std::string>;

/// The facts beyond id, name, api and driver, in the order of DeviceFacts.
std::vector<NamedFact> named_facts(const DeviceFacts& facts);

}  // namespace driftwood::gpu
