// Where measured choices come from: the cache of this computer, else the tables that are a part of the binary, else
// nothing, and the rules decide.
//
//   options.choices = tuning::choices_for(device->facts()).choices;
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gpu/device.h"
#include "tuning/table.h"

namespace driftwood::tuning {

/// What this computer measured: a file a device, its driver and the version of Driftwood, in the folder `tuning` beside
/// that of compiled programs. A damaged or foreign file counts as none, and no failure of the file system is an error.
class Cache {
 public:
  /// An empty folder: nothing is kept.
  explicit Cache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// In $DRIFTWOOD_CACHE_DIR (set but empty: none), else in $XDG_CACHE_HOME/driftwood, else in ~/.cache/driftwood.
  static Cache standard();

  std::optional<Table> load(const gpu::DeviceFacts& facts) const;
  /// Adds the entries to those that are kept; appears by rename. False where it could not be written.
  bool store(const gpu::DeviceFacts& facts, const Table& table) const;
  /// Removes the file of a device. False where there was none.
  bool forget(const gpu::DeviceFacts& facts) const;
  std::filesystem::path file_of(const gpu::DeviceFacts& facts) const;

 private:
  std::filesystem::path folder_;
};

/// A table of the binary, by the name of its file without the ending.
struct ShippedTable {
  std::string_view name;
  std::string_view text;
};
/// All of them, sorted by name.
std::span<const ShippedTable> shipped_tables();
/// That of a device: of the same name under the same API; of a CPU any under the same API with the same integer
/// products, for what a CPU wants of tiles hangs on its registers. Null: there is none.
const ShippedTable* shipped_for(const gpu::DeviceFacts& facts);

struct StoredChoices {
  std::shared_ptr<const graph::Choices> choices = {};  // null: none
  std::string shipped = {};                            // name of the table; empty: none
  std::size_t from_shipped = 0, from_cache = 0;        // entries

  /// "rule", "shipped opencl-h200", "cache", "cache and shipped opencl-h200".
  std::string source() const;
};

StoredChoices choices_for(const gpu::DeviceFacts& facts, const Cache& cache = Cache::standard());

}  // namespace driftwood::tuning
