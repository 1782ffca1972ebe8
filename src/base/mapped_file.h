// A file mapped read-only into memory. Reading past a file that shrank while mapped is a fault of the
// operating system that cannot be turned into an error here; sizes are therefore checked against size().
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace driftwood {

class MappedFile {
 public:
  /// Maps the whole file. Throws InvalidInput where it cannot be opened or is no regular file.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::size_t size() const { return size_; }
  const std::filesystem::path& path() const { return path_; }

  /// Tells the system that these bytes are not needed again soon, so that weights already uploaded to a
  /// device do not count twice in the resident set. Contents stay readable.
  void release(std::span<const std::byte> part) const;

 private:
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace driftwood
