// What self-tests found, on disk, so that a device with the same driver is tested once.
//
// One JSON file a device and scope, named by a hash of the key, which it holds whole: everything that decides the code
// of kernels or how it is compiled. Files appear by rename. A file that is damaged, foreign or of another key is a
// miss, and no failure of the file system is an error.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gpu/device.h"
#include "selftest/selftest.h"

namespace driftwood::selftest {

/// The facts of the device with its driver, the version of Driftwood and its kernels, the scope.
std::string record_key(const gpu::DeviceFacts& facts, Scope scope);

class Records {
 public:
  /// An empty folder: nothing is kept.
  explicit Records(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The folder `selftest` beside that of compiled programs: in $DRIFTWOOD_CACHE_DIR (set but empty: none), else in
  /// $XDG_CACHE_HOME/driftwood, else in ~/.cache/driftwood.
  static Records standard();

  std::optional<Report> load(const std::string& key) const;
  void store(const std::string& key, const Report& report) const;
  /// The file of a key, whether it exists or not.
  std::filesystem::path file_of(const std::string& key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace driftwood::selftest
