// PNG pictures of 8-bit RGB, with texts about them.
//
//   write_png("cat.png", {.width = 512, .height = 512, .rgb = bytes, .texts = {{"prompt", "a cat"}}});
//   RgbImage image = read_image("cat.png");
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace driftwood {

/// What a text chunk says: UTF-8. In the file it is `tEXt` where Latin-1 has all its characters, else `iTXt`.
struct PngText {
  std::string key;  // 1 to 79 printable ASCII characters, no space at an end
  std::string value;

  bool operator==(const PngText&) const = default;
};

/// Rows from the top, pixels from the left, three bytes each.
struct RgbImage {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> rgb = {};
  std::vector<PngText> texts = {};
};

/// The most pixels on a side that are read or written.
inline constexpr std::uint32_t largest_image_side = 16384;

/// Writes the picture, all of it or nothing: to another name in the same folder, then renamed. (What is no regular
/// file, such as /dev/null, is written in place.) In texts, NUL and bytes that are no UTF-8 become U+FFFD. Throws
/// InvalidInput, naming the path and the system's reason, where it cannot be written; likewise for a side that is 0 or
/// over the limit, and for a key that PNG does not allow.
void write_png(const std::filesystem::path& path, const RgbImage& image);

/// Reads a picture of any PNG colour type: 16 bits lose the lower 8, grey becomes RGB, transparent pixels are put on
/// white. Colour profiles and gamma are left out of account. Throws InvalidInput where the file is missing, broken or
/// over the limit, Unsupported for JPEG, WebP and GIF.
RgbImage read_image(const std::filesystem::path& path);

/// The same from a file's bytes.
RgbImage parse_png(std::span<const std::byte> file);

}  // namespace driftwood
