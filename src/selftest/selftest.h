// The self-test of a device: runs cases of the conformance suite on it, against a plain computation in double
// precision, and looks for other choices where a kernel gives wrong numbers.
//
//   auto device = gpu::open_device("opencl:0");
//   selftest::Report report = selftest::test(device, {.scope = selftest::Scope::Language});
//   gpu::AmendedDevice trusted(std::move(device), selftest::amended(device->facts(), report.amendments));
//
// Kernels that are wrong are skipped in the selection (DeviceFacts::distrusted_kernels), so that the next row that
// applies is taken, which is tested too. Where none is left, features are switched off one after another, alone and
// then together, until the cases come out right.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.h"
#include "selftest/amendments.h"
#include "selftest/sample.h"

namespace driftwood::selftest {

enum class Verdict : std::uint8_t {
  Right,
  Wrong,   // gives other numbers than it should
  Failed,  // does not compile or run
  Lost,    // the device is lost in it, twice
};
std::string_view to_string(Verdict verdict);

/// What is found of a kernel, that is a row of graph::kernel_rows(), or of a feature of the device.
struct Finding {
  std::string kernel;
  std::size_t cases = 0;
  Verdict verdict = Verdict::Right;
  std::string fault = {};    // the first wrong element, or why it failed
  std::string instead = {};  // what the device uses instead, and is right; empty: nothing is

  bool is_worked_around() const { return verdict == Verdict::Right || !instead.empty(); }
};

struct Report {
  std::string id, name, driver;  // of the device
  Scope scope = Scope::Everything;
  bool is_full = false;
  std::vector<Finding> findings = {};
  Amendments amendments = {};
  std::string lost = {};  // why the test could not be brought to its end; what it found is of no use then
  double milliseconds = 0;

  std::size_t cases() const;
  std::size_t count(Verdict verdict) const;
  bool is_right() const { return lost.empty() && count(Verdict::Right) == findings.size(); }
  bool is_worked_around() const;
  /// Whether it says something of the device that holds at another time too. That a device was lost may not.
  bool is_lasting() const { return lost.empty() && count(Verdict::Lost) == 0; }
};

using Opener = std::function<std::unique_ptr<gpu::Device>()>;

struct Settings {
  Scope scope = Scope::Everything;
  /// Every cheap case in every storage, instead of one or a few for each kernel.
  bool full = false;
  /// Cases run, of how many, and what runs. The count may grow.
  std::function<void(std::size_t, std::size_t, const std::string&)> progress = {};
  /// Opens the device anew where it is lost. A case that loses it a second time is a fault of its kernels. Without it a
  /// loss ends the test.
  Opener reopen = {};
};

/// Tests a device, which may be another object afterwards (Settings::reopen). Throws nothing that the device does.
Report test(std::unique_ptr<gpu::Device>& device, const Settings& settings);

}  // namespace driftwood::selftest
