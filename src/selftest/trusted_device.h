// A device that is safe to run models on: tested when it is first used with its driver, without what was wrong on it.
//
//   auto device = selftest::trusted_device([] { return gpu::open_device("opencl:0"); }, {.scope = Scope::Language});
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gpu/device.h"
#include "selftest/record.h"
#include "selftest/selftest.h"

namespace driftwood::selftest {

struct TrustSettings {
  Scope scope = Scope::Everything;
  /// For plans that run nothing: what is on record counts, and nothing is tested.
  bool only_recorded = false;
  Records records = Records::standard();
  std::function<void(std::size_t, std::size_t, const std::string&)> progress = {};  // as Settings::progress
  /// What is done without, or wrong and not worked around; a line each. Null: warnings on standard error.
  std::function<void(const std::string&)> warn = {};
};

/// Whether $DRIFTWOOD_SELFTEST is 0: devices are taken as they are.
bool is_switched_off();

/// Opens a device and runs the fast self-test, or reads what an earlier one found: of everything, or else of the scope.
/// The reference is taken as it is. Throws what `open` throws, and DeviceLost where the device is lost for good.
std::unique_ptr<gpu::Device> trusted_device(const Opener& open, const TrustSettings& settings);

}  // namespace driftwood::selftest
