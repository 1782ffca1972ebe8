#include "gpu/program_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "base/fnv1a.h"
#include "base/kept_file.h"

namespace driftwood::gpu {
namespace {

namespace fs = std::filesystem;

// File: header, key, value. `checksum` covers key and value, so that a file cut or damaged anywhere is a miss.
struct Header {
  std::array<char, 8> magic;
  std::uint64_t key_bytes;
  std::uint64_t value_bytes;
  std::uint64_t checksum;
};
constexpr std::array<char, 8> magic = {'D', 'R', 'I', 'F', 'T', 'C', '0', '1'};
constexpr std::string_view suffix = ".program";
// Left by a process that died between writing and renaming.
constexpr auto partial_lifetime = std::chrono::hours(1);

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t checksum_of(std::string_view key, std::span<const std::byte> value) {
  return fnv1a(text_of(value), fnv1a(key));
}

}  // namespace

ProgramCache::ProgramCache(fs::path folder, std::uint64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

ProgramCache ProgramCache::standard() {
  if (const char* configured = std::getenv("DRIFTWOOD_CACHE_DIR")) {
    return ProgramCache(*configured == '\0' ? fs::path() : fs::path(configured) / "programs");
  }
  // The XDG specification has relative values ignored.
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && fs::path(xdg).is_absolute()) {
    return ProgramCache(fs::path(xdg) / "driftwood" / "programs");
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return ProgramCache({});
  return ProgramCache(fs::path(home) / ".cache" / "driftwood" / "programs");
}

fs::path ProgramCache::file_of(std::string_view key) const {
  // Two independent 64-bit halves; the key in the file decides, so a collision costs a compilation, not a fault.
  const std::uint64_t low = fnv1a(key);
  const std::uint64_t high = fnv1a(key, 0x9e3779b97f4a7c15u);
  return folder_ / fmt::format("{:016x}{:016x}{}", high, low, suffix);
}

std::optional<std::vector<std::byte>> ProgramCache::load(std::string_view key) const {
  if (!is_enabled()) return std::nullopt;
  const fs::path path = file_of(key);
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (error) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  Header header = {};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return std::nullopt;
  const bool fits = header.magic == magic && header.key_bytes == key.size() && size >= sizeof header + key.size() &&
                    header.value_bytes == size - sizeof header - key.size();
  if (!fits) return std::nullopt;
  std::string stored_key(key.size(), '\0');
  std::vector<std::byte> value(header.value_bytes);
  file.read(stored_key.data(), static_cast<std::streamsize>(stored_key.size()));
  file.read(reinterpret_cast<char*>(value.data()), static_cast<std::streamsize>(value.size()));
  if (!file || stored_key != key || checksum_of(key, value) != header.checksum) return std::nullopt;
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // marks it used; failure is of no matter
  return value;
}

void ProgramCache::store(std::string_view key, std::span<const std::byte> value) const {
  if (!is_enabled()) return;
  const Header header{magic, key.size(), value.size(), checksum_of(key, value)};
  if (!write_kept_file(file_of(key), {text_of(std::as_bytes(std::span(&header, 1))), key, text_of(value)})) return;
  const auto stored = static_cast<std::int64_t>(sizeof(Header) + key.size() + value.size());
  const bool is_counted = *bytes_ >= 0;
  if (!is_counted || (*bytes_ += stored) > static_cast<std::int64_t>(limit_bytes_)) evict();
}

void ProgramCache::evict() const {
  struct File {
    fs::path path;
    fs::file_time_type time;
    std::uint64_t bytes;
  };
  std::vector<File> files;
  std::uint64_t total = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;  // another process may remove it meanwhile
    const File file{it->path(), fs::last_write_time(it->path(), gone), fs::file_size(it->path(), gone)};
    if (gone) continue;
    if (file.path.extension() == partial_suffix) {
      if (now - file.time > partial_lifetime) fs::remove(file.path, gone);
    } else if (file.path.extension() == suffix) {
      files.push_back(file);
      total += file.bytes;
    }
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.time < b.time; });
  const std::uint64_t most = total > limit_bytes_ ? limit_bytes_ - limit_bytes_ / 10 : limit_bytes_;
  for (const File& file : files) {
    if (total <= most) break;
    std::error_code gone;
    fs::remove(file.path, gone);
    total -= file.bytes;
  }
  *bytes_ = static_cast<std::int64_t>(total);
}

}  // namespace driftwood::gpu
