// libpng reports errors by longjmp, which must not pass objects with destructors. So the functions that call it
// (`read_header`, `read_rows`) have none, and keep what changes in a ReadState that their caller owns.
#include "formats/png.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <new>

#include "base/error.h"
#include "base/mapped_file.h"
#include "formats/png_text.h"

namespace driftwood {
namespace {

constexpr std::array<std::uint8_t, 8> signature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::size_t end_of_sides = 24;              // of the width and height in the first chunk, IHDR
constexpr std::uint64_t largest_ratio = 1100;         // deflate makes at most 1032 bytes of one
constexpr png_alloc_size_t largest_chunk = 16 << 20;  // of texts and the like, unpacked

struct ReadState {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const std::byte* next = nullptr;
  std::size_t left = 0;
  char reason[160] = "memory is exhausted";

  ReadState() = default;
  ReadState(const ReadState&) = delete;
  ReadState& operator=(const ReadState&) = delete;
  ~ReadState() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void stop(png_structp png, png_const_charp message) {
  auto* state = static_cast<ReadState*>(png_get_error_ptr(png));
  std::strncpy(state->reason, message, sizeof state->reason - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp /*png*/, png_const_charp /*message*/) {}

void read_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto* state = static_cast<ReadState*>(png_get_io_ptr(png));
  if (count > state->left) png_error(png, "the file ends early");
  std::memcpy(out, state->next, count);
  state->next += count;
  state->left -= count;
}

/// Reads up to the pixels and asks for RGB or RGBA of 8 bits. False: `reason` says why not.
bool read_header(ReadState& state) {
  state.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state, stop, ignore_warning);
  if (state.png == nullptr) return false;
  state.info = png_create_info_struct(state.png);
  if (state.info == nullptr) return false;
  if (setjmp(png_jmpbuf(state.png)) != 0) return false;  // NOLINT(cert-err52-cpp)
  png_set_read_fn(state.png, &state, read_bytes);
  png_set_user_limits(state.png, largest_image_side, largest_image_side);
  png_set_chunk_malloc_max(state.png, largest_chunk);
  png_read_info(state.png, state.info);
  return true;
}

/// False: `reason` says why not.
bool choose_rgb(ReadState& state) {
  if (setjmp(png_jmpbuf(state.png)) != 0) return false;  // NOLINT(cert-err52-cpp)
  png_set_strip_16(state.png);
  png_set_expand(state.png);  // palettes to RGB, small greys to 8 bits, transparent colours to alpha
  png_set_gray_to_rgb(state.png);
  png_set_interlace_handling(state.png);
  png_read_update_info(state.png, state.info);
  return true;
}

/// False: `reason` says why not.
bool read_rows(ReadState& state, png_bytepp rows) {
  if (setjmp(png_jmpbuf(state.png)) != 0) return false;  // NOLINT(cert-err52-cpp)
  png_read_image(state.png, rows);
  png_read_end(state.png, state.info);
  return true;
}

bool starts_with(std::span<const std::byte> file, std::size_t at, std::string_view text) {
  return file.size() >= at + text.size() && std::memcmp(file.data() + at, text.data(), text.size()) == 0;
}

void check_kind(std::span<const std::byte> file) {
  if (file.size() >= signature.size() && std::memcmp(file.data(), signature.data(), signature.size()) == 0) return;
  const char* kind = starts_with(file, 0, "\xFF\xD8\xFF") ? "a JPEG"
                     : starts_with(file, 8, "WEBP")       ? "a WebP"
                     : starts_with(file, 0, "GIF8")       ? "a GIF"
                                                          : nullptr;
  if (kind != nullptr) throw Unsupported(fmt::format("The file is {} picture; PNG alone is read.", kind));
  throw InvalidInput("The file is no PNG picture: it does not begin with PNG's signature.");
}

/// Refuses before libpng does, which would not name the size.
void check_sides(std::span<const std::byte> file) {
  if (file.size() < end_of_sides || !starts_with(file, 12, "IHDR")) return;
  const auto* bytes = reinterpret_cast<const png_byte*>(file.data());
  const std::uint32_t width = png_get_uint_32(bytes + 16), height = png_get_uint_32(bytes + 20);
  if (width == 0 || height == 0 || width > largest_image_side || height > largest_image_side) {
    throw InvalidInput(fmt::format("The picture has {} x {} pixels; 1 x 1 to {} x {} are read.", width, height,
                                   largest_image_side, largest_image_side));
  }
}

/// libpng takes memory for a chunk by the length that it claims, before it reads on.
void check_chunks(std::span<const std::byte> file) {
  for (std::size_t at = signature.size(); at + 12 <= file.size();) {
    const std::size_t length = png_get_uint_32(reinterpret_cast<const png_byte*>(file.data()) + at);
    if (length > file.size() - at - 12) break;
    if (starts_with(file, at + 4, "IEND")) return;
    at += 12 + length;
  }
  throw InvalidInput("The PNG picture is broken: the file ends early.");
}

[[noreturn]] void refuse(const ReadState& state) {
  throw InvalidInput(fmt::format("The PNG picture is broken: {}.", state.reason));
}

/// RGBA in place to RGB on white.
void put_on_white(std::vector<std::uint8_t>& pixels) {
  const std::size_t count = pixels.size() / 4;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned alpha = pixels[4 * i + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      const unsigned sum = pixels[4 * i + c] * alpha + 255 * (255 - alpha);
      pixels[3 * i + c] = static_cast<std::uint8_t>((sum + 127) / 255);
    }
  }
  pixels.resize(3 * count);
}

std::vector<PngText> texts_of(const ReadState& state) {
  png_textp found = nullptr;
  int count = 0;
  png_get_text(state.png, state.info, &found, &count);
  std::vector<PngText> texts;
  for (int i = 0; i < count; ++i) {
    const ::png_text& text = found[i];
    const std::string_view value = text.text == nullptr ? "" : text.text;
    const bool is_latin1 = text.compression <= PNG_TEXT_COMPRESSION_zTXt;
    texts.push_back(
        {png_text::from_latin1(text.key), is_latin1 ? png_text::from_latin1(value) : png_text::valid_utf8(value)});
  }
  return texts;
}

}  // namespace

RgbImage parse_png(std::span<const std::byte> file) try {
  check_kind(file);
  check_sides(file);
  check_chunks(file);
  ReadState state;
  state.next = file.data();
  state.left = file.size();
  if (!read_header(state)) refuse(state);

  RgbImage image{.width = png_get_image_width(state.png, state.info),
                 .height = png_get_image_height(state.png, state.info)};
  const std::uint64_t packed = std::uint64_t{png_get_rowbytes(state.png, state.info)} * image.height;
  if (packed / largest_ratio > file.size()) {
    throw InvalidInput(fmt::format("The file has {} bytes, too few for a picture of {} x {} pixels.", file.size(),
                                   image.width, image.height));
  }
  if (!choose_rgb(state)) refuse(state);
  const std::size_t channels = png_get_channels(state.png, state.info);
  const std::size_t row_bytes = png_get_rowbytes(state.png, state.info);
  if (channels < 3 || row_bytes != channels * image.width) {
    throw InternalError(fmt::format("A PNG picture is read in {} channels and rows of {} bytes.", channels, row_bytes));
  }
  image.rgb.resize(row_bytes * image.height);
  std::vector<png_bytep> rows(image.height);
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = image.rgb.data() + y * row_bytes;
  if (!read_rows(state, rows.data())) refuse(state);
  if (channels == 4) put_on_white(image.rgb);
  image.texts = texts_of(state);
  return image;
} catch (const std::bad_alloc&) {
  throw OutOfMemory("The memory for the pixels of a PNG picture cannot be allocated.");
}

RgbImage read_image(const std::filesystem::path& path) try {
  const MappedFile file(path);
  return parse_png(file.bytes());
} catch (Error& error) {
  error.add_context(fmt::format("While reading the picture '{}'.", path.string()));
  throw;
}

}  // namespace driftwood
