// Every file of the fuzzers' seed corpus: ok-* is read, bad-* is refused.
#include <gmock/gmock.h>

#include <filesystem>

#include "base/mapped_file.h"
#include "formats/gguf.h"
#include "formats/png.h"
#include "formats/refusal.h"
#include "formats/safetensors.h"

namespace driftwood::testing {
namespace {

void run_corpus(const std::string& folder, const auto& parse) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DRIFTWOOD_SOURCE_DIR "/tests/fuzz/corpus/" + folder)) {
    const MappedFile file(entry.path());
    // A copy of exactly this length lets the address sanitizer see any read past it.
    const std::vector<std::byte> bytes(file.bytes().begin(), file.bytes().end());
    const std::string message = refusal_of([&] { parse(bytes); }).message;
    if (entry.path().filename().string().starts_with("ok-")) {
      EXPECT_EQ(message, "") << entry.path();
    } else {
      EXPECT_NE(message, "") << entry.path();
    }
    ++files;
  }
  EXPECT_GT(files, 10);
}

TEST(Corpus, OfGguf) {
  run_corpus("gguf", [](const auto& bytes) { GgufFile::parse(bytes); });
}

TEST(Corpus, OfSafetensors) {
  run_corpus("safetensors", [](const auto& bytes) { SafetensorsFile::parse(bytes); });
}

TEST(Corpus, OfPng) {
  run_corpus("png", [](const auto& bytes) { parse_png(bytes); });
}

}  // namespace
}  // namespace driftwood::testing
