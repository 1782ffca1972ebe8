// PNG pictures, read and written. The corpus of the fuzzer has one of each colour type.
#include "formats/png.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "base/error.h"
#include "base/mapped_file.h"
#include "formats/refusal.h"
#include "formats/safetensors.h"
#include "formats/temporary_folder.h"

namespace driftwood::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::filesystem::path corpus = DRIFTWOOD_SOURCE_DIR "/tests/fuzz/corpus/png";

RgbImage picture(std::uint32_t width, std::uint32_t height) {
  RgbImage image{.width = width, .height = height};
  for (std::size_t i = 0; i < std::size_t{3} * width * height; ++i) {
    image.rgb.push_back(static_cast<std::uint8_t>(i * 37 + i / 256));
  }
  return image;
}

std::string bytes_of(const std::filesystem::path& path) {
  const MappedFile file(path);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.size()};
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

TEST(Png, IsReadAsItIsWritten) {
  const TemporaryFolder folder;
  for (const auto& [width, height] :
       {std::pair(1u, 1u), std::pair(5u, 3u), std::pair(128u, 64u), std::pair(16384u, 1u)}) {
    const RgbImage written = picture(width, height);
    write_png(folder.path() / "x.png", written);
    const RgbImage image = read_image(folder.path() / "x.png");
    EXPECT_EQ(image.width, width);
    EXPECT_EQ(image.height, height);
    EXPECT_EQ(image.rgb, written.rgb);
    EXPECT_THAT(image.texts, IsEmpty());
  }
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(Png, KeepsTexts) {
  const TemporaryFolder folder;
  RgbImage image = picture(4, 4);
  const std::string latin1 = "caf\u00E9,\nsteps 20", other = "\u732B \U0001F431", control = "a\tb\r\u0085";
  image.texts = {{"prompt", latin1},   {"negative prompt", other},
                 {"control", control}, {"long", std::string(1'000'000, 'x')},
                 {"empty", ""},        {"prompt", "again"}};
  write_png(folder.path() / "x.png", image);
  EXPECT_EQ(read_image(folder.path() / "x.png").texts, image.texts);
  const std::string file = bytes_of(folder.path() / "x.png");
  EXPECT_THAT(file, HasSubstr(std::string("tEXtprompt\0caf\xE9,\nsteps 20", 25)));
  EXPECT_THAT(file, HasSubstr("iTXtnegative prompt"));

  image.texts = {{"prompt", std::string("a\0b\xFF", 4)}};
  write_png(folder.path() / "x.png", image);
  EXPECT_EQ(read_image(folder.path() / "x.png").texts.front().value, "a\uFFFDb\uFFFD");
}

TEST(Png, OfAnotherProgramIsRead) {
  const std::filesystem::path data = DRIFTWOOD_TEST_DATA "/shapes-sd";
  const SafetensorsFile expected = SafetensorsFile::open(data / "expected.safetensors");
  for (const char* name : {"0.pndm", "1.ddim", "5.pndm"}) {
    const RgbImage image = read_image(data / (std::string(name) + ".png"));
    const StoredTensor* tensor = expected.tensors().find(std::string(name) + ".bytes");
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(image.width, 128u);
    ASSERT_EQ(image.rgb.size(), tensor->bytes.size());
    EXPECT_EQ(std::memcmp(image.rgb.data(), tensor->bytes.data(), image.rgb.size()), 0) << name;
  }
}

/// The samples of a picture of the corpus, as make_corpus.py writes them.
struct Kind {
  const char* name;
  bool has_colour, has_alpha;
  unsigned bits;
};

unsigned on_white(unsigned value, unsigned alpha) { return (value * alpha + 255 * (255 - alpha) + 127) / 255; }

TEST(Png, OfAnyColourTypeIsReadAsRgb) {
  for (const Kind& kind :
       {Kind{"grey-1", false, false, 1}, Kind{"grey-2", false, false, 2}, Kind{"grey-4", false, false, 4},
        Kind{"grey-8", false, false, 8}, Kind{"grey-16", false, false, 8}, Kind{"grey-16-interlaced", false, false, 8},
        Kind{"rgb-8", true, false, 8}, Kind{"rgb-16", true, false, 8}, Kind{"rgb-16-interlaced", true, false, 8},
        Kind{"gamma", true, false, 8}, Kind{"grey-alpha-8", false, true, 8}, Kind{"grey-alpha-16", false, true, 8},
        Kind{"grey-alpha-16-interlaced", false, true, 8}, Kind{"rgba-8", true, true, 8}, Kind{"rgba-16", true, true, 8},
        Kind{"rgba-16-interlaced", true, true, 8}}) {
    const RgbImage image = read_image(corpus / (std::string("ok-") + kind.name));
    const unsigned levels = 1u << kind.bits;
    std::vector<std::uint8_t> expected;
    for (unsigned y = 0; y < 9; ++y) {
      for (unsigned x = 0; x < 11; ++x) {
        const auto sample = [&](unsigned c) { return (x * 17 + y * 29 + c * 53) % levels * 255 / (levels - 1); };
        const unsigned alpha = kind.has_alpha ? sample(kind.has_colour ? 3 : 1) : 255;
        for (unsigned c = 0; c < 3; ++c) {
          expected.push_back(static_cast<std::uint8_t>(on_white(sample(kind.has_colour ? c : 0), alpha)));
        }
      }
    }
    EXPECT_EQ(image.rgb, expected) << kind.name;
  }
}

TEST(Png, WithAPaletteIsReadAsRgb) {
  for (const auto& [name, colours, is_transparent] :
       {std::tuple("palette-1", 2u, false), std::tuple("palette-2", 4u, false), std::tuple("palette-4", 16u, false),
        std::tuple("palette-8", 16u, false), std::tuple("palette-8-interlaced", 16u, false),
        std::tuple("palette-8-transparent", 16u, true)}) {
    const RgbImage image = read_image(corpus / (std::string("ok-") + name));
    std::vector<std::uint8_t> expected;
    for (unsigned y = 0; y < 9; ++y) {
      for (unsigned x = 0; x < 11; ++x) {
        const unsigned i = (x + y) % colours, alpha = is_transparent ? i * 17 : 255;
        for (const unsigned value : {i * 16, 255 - i * 16, i * 5}) {
          expected.push_back(static_cast<std::uint8_t>(on_white(value, alpha)));
        }
      }
    }
    EXPECT_EQ(image.rgb, expected) << name;
  }
}

TEST(Png, HasTextsOfAllKinds) {
  EXPECT_THAT(read_image(corpus / "ok-texts").texts,
              ElementsAre(PngText{"Title", "caf\u00E9"}, PngText{"Comment", "packed"}, PngText{"Author", "\u732B"},
                          PngText{"Odd", "\uFFFD"}));
}

TEST(Png, ThatIsBrokenIsRefusedWithTheReason) {
  const auto message = [](const char* name) { return refusal_of([&] { read_image(corpus / name); }).message; };
  EXPECT_THAT(message("bad-empty"), AllOf(HasSubstr("no PNG picture"), HasSubstr("bad-empty")));
  EXPECT_THAT(message("bad-signature"), HasSubstr("no PNG picture"));
  EXPECT_THAT(message("bad-jpeg"), HasSubstr("a JPEG picture; PNG alone is read"));
  EXPECT_THAT(message("bad-truncated-45"), HasSubstr("the file ends early"));
  EXPECT_THAT(message("bad-crc-of-header"), HasSubstr("CRC error"));
  EXPECT_THAT(message("bad-crc-of-pixels"), HasSubstr("CRC error"));
  EXPECT_THAT(message("bad-zero-width"), HasSubstr("0 x 9 pixels; 1 x 1 to 16384 x 16384 are read"));
  EXPECT_THAT(message("bad-huge"), HasSubstr("100000 x 100000 pixels"));
  EXPECT_THAT(message("bad-negative"), HasSubstr("4294967295 x 4294967295 pixels"));
  EXPECT_THAT(message("bad-few-pixels"), HasSubstr("Not enough image data"));
  EXPECT_THAT(refusal_of([] { read_image("/nowhere/x.png"); }).message, HasSubstr("/nowhere/x.png"));
  EXPECT_THAT(refusal_of([] { read_image("/"); }).message, HasSubstr("'/'"));
}

TEST(Png, ThatPromisesMuchCostsLittle) {
  const auto refusal = refusal_of([] { read_image(corpus / "bad-large-without-pixels"); });
  EXPECT_THAT(refusal.message, HasSubstr("too few for a picture of 16384 x 16384 pixels"));
  EXPECT_LT(refusal.resident_growth, 16 << 20);
  EXPECT_THAT(refusal_of([] { read_image(corpus / "bad-huge-text"); }).message, HasSubstr("the file ends early"));
}

TEST(Png, IsNotWrittenWhereItCannotBe) {
  const TemporaryFolder folder;
  const auto message = [](const std::filesystem::path& path) {
    return refusal_of([&] { write_png(path, picture(8, 8)); }).message;
  };
  EXPECT_THAT(message("/dev/full"), HasSubstr("The file '/dev/full' cannot be written: No space left on device."));
  EXPECT_THAT(message(folder.path() / "no/x.png"), HasSubstr("no/x.png' cannot be written: No such file"));
  EXPECT_THAT(message(folder.path()), HasSubstr("Is a directory"));
  EXPECT_EQ(message("/dev/null"), "");
  struct stat status = {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  EXPECT_EQ(files_in(folder.path()), 0u);
}

TEST(Png, LeavesTheOldFileWhereWritingFails) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.png", std::string_view("old"));
  struct rlimit old = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small = {1000, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = refusal_of([&] { write_png(path, picture(100, 100)); }).message;
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, HasSubstr("x.png' cannot be written: File too large."));
  EXPECT_EQ(bytes_of(path), "old");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(Png, HasTheRightsOfAnyNewFile) {
  const TemporaryFolder folder;
  const mode_t old = ::umask(027);
  write_png(folder.path() / "x.png", picture(2, 2));
  ::umask(old);
  EXPECT_EQ(std::filesystem::status(folder.path() / "x.png").permissions(), std::filesystem::perms(0640));
}

TEST(Png, TakesNoOddSizesAndKeys) {
  const TemporaryFolder folder;
  const auto message = [&](const RgbImage& image) {
    return refusal_of([&] { write_png(folder.path() / "x.png", image); }).message;
  };
  EXPECT_THAT(message({.width = 0, .height = 5}), HasSubstr("0 x 5 pixels cannot be written"));
  EXPECT_THAT(message({.width = 5, .height = 16385}), HasSubstr("5 x 16385"));
  EXPECT_THAT(message({.width = 5, .height = 5}), HasSubstr("is given 0 bytes"));
  for (const std::string& key :
       {std::string(), std::string(80, 'x'), std::string(" x"), std::string("x "), std::string("a  b"),
        std::string("caf\u00E9"), std::string("a\nb"), std::string(1, '\0')}) {
    RgbImage image = picture(2, 2);
    image.texts = {{key, "x"}};
    EXPECT_THAT(message(image), HasSubstr("1 to 79 printable ASCII characters")) << key;
  }
  EXPECT_EQ(files_in(folder.path()), 0u);
}

}  // namespace
}  // namespace driftwood::testing
