// A position in bytes from outside that moves forward and never past the end.
//
// Counts and lengths in a file are claims: the cursor compares each with the bytes that remain before anything is
// allocated or skipped. `what` names the thing being read and appears in the message of the InvalidInput thrown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace driftwood {

class ByteCursor {
 public:
  explicit ByteCursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }

  /// The next number, little-endian.
  template <typename Number>
  Number read(std::string_view what) {
    Number number;
    std::memcpy(&number, take(sizeof number, what).data(), sizeof number);
    return number;
  }

  /// The next `count` bytes.
  std::span<const std::byte> take(std::uint64_t count, std::string_view what);

  /// A 64-bit length and that many bytes, as GGUF stores strings. Views the underlying bytes.
  std::string_view read_string(std::string_view what);

  /// A 64-bit count of things that take at least `smallest` bytes each, refused where they cannot fit.
  std::uint64_t read_count(std::uint64_t smallest, std::string_view what);

  /// The bytes from an earlier position to this one.
  std::span<const std::byte> since(std::size_t start) const { return bytes_.subspan(start, position_ - start); }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

}  // namespace driftwood
