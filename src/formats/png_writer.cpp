// As in png.cpp, what calls libpng has no objects with destructors: it may be left by longjmp.
#include <fcntl.h>
#include <fmt/format.h>
#include <png.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "formats/png.h"
#include "formats/png_text.h"
#include "formats/quote.h"

namespace driftwood {
namespace {

constexpr std::size_t longest_key = 79;

struct WriteState {
  std::FILE* file = nullptr;
  int error = 0;  // errno of a write that failed
  char reason[160] = "memory is exhausted";
  png_structp png = nullptr;
  png_infop info = nullptr;

  WriteState() = default;
  WriteState(const WriteState&) = delete;
  WriteState& operator=(const WriteState&) = delete;
  ~WriteState() { png_destroy_write_struct(&png, &info); }
};

[[noreturn]] void stop(png_structp png, png_const_charp message) {
  auto* state = static_cast<WriteState*>(png_get_error_ptr(png));
  std::strncpy(state->reason, message, sizeof state->reason - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp /*png*/, png_const_charp /*message*/) {}

void write_bytes(png_structp png, png_bytep bytes, std::size_t count) {
  auto* state = static_cast<WriteState*>(png_get_io_ptr(png));
  if (std::fwrite(bytes, 1, count, state->file) == count) return;
  state->error = errno;
  png_error(png, "a write failed");
}

void flush_bytes(png_structp /*png*/) {}

/// False: `error` or `reason` says why not.
bool encode(WriteState& state, std::uint32_t width, std::uint32_t height, const std::uint8_t* rgb, png_textp texts,
            int text_count) {
  state.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &state, stop, ignore_warning);
  if (state.png == nullptr) return false;
  state.info = png_create_info_struct(state.png);
  if (state.info == nullptr) return false;
  if (setjmp(png_jmpbuf(state.png)) != 0) return false;  // NOLINT(cert-err52-cpp)
  png_set_write_fn(state.png, &state, write_bytes, flush_bytes);
  png_set_IHDR(state.png, state.info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  // Filtered rows of pictures have few repeats but runs. A noisy picture of 512 x 512 took 15 ms for 121, and no more
  // bytes than with a search for repeats.
  png_set_compression_strategy(state.png, Z_RLE);
  png_set_text(state.png, state.info, texts, text_count);
  png_write_info(state.png, state.info);
  for (std::uint32_t y = 0; y < height; ++y) png_write_row(state.png, rgb + std::size_t{y} * width * 3);
  png_write_end(state.png, nullptr);
  return true;
}

void check(const RgbImage& image) {
  if (std::min(image.width, image.height) == 0 || std::max(image.width, image.height) > largest_image_side) {
    throw InvalidInput(fmt::format("A picture of {} x {} pixels cannot be written; 1 x 1 to {} x {} can.", image.width,
                                   image.height, largest_image_side, largest_image_side));
  }
  if (image.rgb.size() != std::size_t{3} * image.width * image.height) {
    throw InternalError(
        fmt::format("A picture of {} x {} pixels is given {} bytes.", image.width, image.height, image.rgb.size()));
  }
  for (const PngText& text : image.texts) {
    const std::string& key = text.key;
    const bool is_printable = std::all_of(key.begin(), key.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
    const bool has_odd_space = key.starts_with(' ') || key.ends_with(' ') || key.find("  ") != std::string::npos;
    if (key.empty() || key.size() > longest_key || !is_printable || has_odd_space) {
      throw InvalidInput(fmt::format(
          "The key {} of a PNG text has {} bytes; 1 to {} printable ASCII characters with single spaces between them "
          "are allowed.",
          quote_name(key), key.size(), longest_key));
    }
  }
}

/// The texts in their encodings, and libpng's view of them.
struct EncodedTexts {
  explicit EncodedTexts(std::vector<PngText> given) : texts(std::move(given)) {
    for (PngText& text : texts) {
      text.value = png_text::valid_utf8(text.value);
      ::png_text entry{};
      entry.compression = PNG_ITXT_COMPRESSION_NONE;
      if (auto latin1 = png_text::to_latin1(text.value)) {
        text.value = std::move(*latin1);
        entry.compression = PNG_TEXT_COMPRESSION_NONE;
      }
      entry.key = text.key.data();
      entry.text = text.value.data();
      entry.lang = empty;
      entry.lang_key = empty;
      entries.push_back(entry);
    }
  }
  EncodedTexts(const EncodedTexts&) = delete;
  EncodedTexts& operator=(const EncodedTexts&) = delete;

  std::vector<PngText> texts;
  std::vector<::png_text> entries;
  char empty[1] = {};
};

/// A file that is written under another name, and takes its own when it is whole.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path) : path_(path) {
    // Renaming replaces whatever is at `path`, which must not happen to a device or a pipe.
    std::error_code ignored;
    const std::filesystem::file_status old = std::filesystem::status(path, ignored);
    if (std::filesystem::exists(old) && !std::filesystem::is_regular_file(old)) {
      file_ = std::fopen(path.c_str(), "wb");
      if (file_ == nullptr) fail(errno);
      return;
    }
    static std::atomic<unsigned> counter{0};
    do {
      partial_ = path.parent_path() / fmt::format(".driftwood-{}-{}.partial", ::getpid(), counter++);
      const int handle = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (handle >= 0) file_ = ::fdopen(handle, "wb");
    } while (file_ == nullptr && errno == EEXIST);
    if (file_ == nullptr) fail(errno);
  }
  ~NewFile() {
    if (file_ != nullptr) std::fclose(file_);
    if (!partial_.empty()) ::unlink(partial_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  std::FILE* get() const { return file_; }

  void finish() {
    const bool is_written = std::fflush(file_) == 0;
    const int flush_error = errno;
    const bool is_closed = std::fclose(std::exchange(file_, nullptr)) == 0;
    if (!is_written || !is_closed) fail(is_written ? errno : flush_error);
    if (partial_.empty()) return;
    if (std::rename(partial_.c_str(), path_.c_str()) != 0) fail(errno);
    partial_.clear();
  }

  [[noreturn]] void fail(int error) const {
    throw InvalidInput(fmt::format("The file '{}' cannot be written: {}.", path_.string(), std::strerror(error)));
  }

 private:
  std::filesystem::path path_, partial_;
  std::FILE* file_ = nullptr;
};

}  // namespace

void write_png(const std::filesystem::path& path, const RgbImage& image) {
  check(image);
  EncodedTexts texts(image.texts);
  NewFile file(path);
  WriteState state;
  state.file = file.get();
  const bool is_encoded = encode(state, image.width, image.height, image.rgb.data(), texts.entries.data(),
                                 static_cast<int>(texts.entries.size()));
  if (state.error != 0) file.fail(state.error);
  if (!is_encoded) {
    throw InternalError(fmt::format("The picture '{}' cannot be encoded: {}.", path.string(), state.reason));
  }
  file.finish();
}

}  // namespace driftwood
