// Compiled programs and probe results on disk, so that the next start compiles nothing.
//
//   ProgramCache cache = ProgramCache::standard();
//   if (auto binary = cache.load(key)) ...
//   cache.store(key, bytes);
//
// One file an entry, named by a hash of the key and holding the whole key, which is compared: a collision or a foreign
// file is a miss. Files appear by rename, so that other processes see all of one or nothing. No failure of the file
// system is an error: the worst is a miss.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace driftwood::gpu {

class ProgramCache {
 public:
  /// An empty folder: nothing is kept. Over `limit_bytes` the files that were longest unused go.
  explicit ProgramCache(std::filesystem::path folder, std::uint64_t limit_bytes = default_limit);

  /// $DRIFTWOOD_CACHE_DIR/programs (set but empty: off), else $XDG_CACHE_HOME/driftwood/programs, else
  /// ~/.cache/driftwood/programs.
  static ProgramCache standard();

  bool is_enabled() const { return !folder_.empty(); }
  const std::filesystem::path& folder() const { return folder_; }

  std::optional<std::vector<std::byte>> load(std::string_view key) const;
  void store(std::string_view key, std::span<const std::byte> value) const;

  /// The file of a key, whether it exists or not.
  std::filesystem::path file_of(std::string_view key) const;

  // A model's programs take one to five megabytes on a device; this holds those of some fifty models and drivers.
  static constexpr std::uint64_t default_limit = 256u << 20;

 private:
  /// Counts what is there, and removes the longest unused down to nine tenths of the limit where it is exceeded.
  /// Takes as long as there are files, so that it is not done for each that is stored.
  void evict() const;

  std::filesystem::path folder_;
  std::uint64_t limit_bytes_;
  /// Bytes in the folder as last counted, and stored since then; copies of the cache share it. Negative: not counted
  /// yet.
  std::shared_ptr<std::atomic<std::int64_t>> bytes_ = std::make_shared<std::atomic<std::int64_t>>(-1);
};

}  // namespace driftwood::gpu
