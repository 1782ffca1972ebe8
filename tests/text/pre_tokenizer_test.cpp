// How pre-tokenizers cut, against Hugging Face's tokenizers (tests/data/text, by tools/make_tokenizer_cases.py).
#include "text/pre_tokenizer.h"

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "base/error.h"

namespace driftwood {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PreTokenizer family(std::string_view name) {
  const auto& patterns = pre_tokenizer_family(name).patterns;
  return PreTokenizer(std::vector<std::string>(patterns.begin(), patterns.end()));
}

std::vector<std::string> pieces_of(const PreTokenizer& pre_tokenizer, std::string_view text) {
  const auto pieces = pre_tokenizer.split(text);
  return {pieces.begin(), pieces.end()};
}

TEST(PreTokenizer, CutsAsTheModelsOwn) {
  std::ifstream stream(std::string(DRIFTWOOD_TEST_DATA) + "/text/pre_tokenizer_cases.json");
  const auto file = nlohmann::json::parse(stream);
  const auto texts = file["texts"].get<std::vector<std::string>>();
  EXPECT_GE(file.size(), 12U);
  for (const auto& [name, cuts] : file.items()) {
    if (name == "texts") continue;
    const PreTokenizer pre_tokenizer = family(name);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(pieces_of(pre_tokenizer, texts[i]), cuts[i].get<std::vector<std::string>>())
          << name << ": " << texts[i];
    }
  }
}

TEST(PreTokenizer, CutsInSequence) {
  EXPECT_THAT(pieces_of(family("smollm"), "a 12b"), ElementsAre("a", " ", "1", "2", "b"));
  EXPECT_THAT(pieces_of(family("default"), "x 12345.6"), ElementsAre("x", " ", "123", "45", ".", "6"));
  EXPECT_THAT(pieces_of(family("bloom"), "one two, three."), ElementsAre("one", " two", ",", " three", "."));
  EXPECT_THAT(pieces_of(family("viking"), "a12"), ElementsAre("a", "1", "2"));
  EXPECT_THAT(pieces_of(family("chameleon"), "a1IMGIMGABZ  b"), ElementsAre("a", "1", "IMGIMGABZ", "  ", "b"));
}

TEST(PreTokenizer, KnowsEachNameOnce) {
  std::set<std::string_view> names;
  for (const PreTokenizerFamily& one : pre_tokenizer_families()) {
    EXPECT_NO_THROW(family(one.names.front()));
    for (const std::string_view name : one.names) EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(PreTokenizer, NamesWhatIsKnown) {
  try {
    pre_tokenizer_family("nonsense");
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("'nonsense' is not known"));
    EXPECT_THAT(error.what(), HasSubstr("llama-bpe, llama3"));
    EXPECT_THAT(error.what(), HasSubstr("qwen2"));
  }
}

TEST(PreTokenizer, RefusesABrokenPattern) {
  const std::vector<std::string> patterns{"(a"};
  EXPECT_THROW(PreTokenizer{patterns}, InvalidInput);
}

TEST(PreTokenizer, KeepsEveryByteOfAnyText) {
  std::mt19937 random(3);
  for (const PreTokenizerFamily& one : pre_tokenizer_families()) {
    const PreTokenizer pre_tokenizer = family(one.names.front());
    for (int i = 0; i < 200; ++i) {
      std::string text;
      for (auto n = random() % 40; n > 0; --n)
        text += static_cast<char>(random() % 3 == 0 ? random() % 256 : "a 1\n."[random() % 5]);
      std::string together;
      for (const std::string_view piece : pre_tokenizer.split(text)) {
        EXPECT_FALSE(piece.empty());
        together += piece;
      }
      EXPECT_EQ(together, text);
    }
  }
}

TEST(PreTokenizer, TakesLongRunsInLinearTime) {
  constexpr std::size_t length = 1 << 18;
  for (const PreTokenizerFamily& one : pre_tokenizer_families()) {
    const PreTokenizer pre_tokenizer = family(one.names.front());
    for (const char* unit : {"a", "A", " ", "\n", "7", ".", "\xFF", "日", " a", "\xCC\x81"}) {
      std::string text;
      while (text.size() < length) text += unit;
      const auto start = std::chrono::steady_clock::now();
      std::size_t size = 0;
      for (const std::string_view piece : pre_tokenizer.split(text)) size += piece.size();
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      EXPECT_EQ(size, text.size());
      EXPECT_LT(seconds.count(), 20) << one.names.front() << " on '" << unit << "'";
    }
  }
}

TEST(PreTokenizer, GivesUpOnAPatternThatExplodes) {
  const std::vector<std::string> patterns{"(a|a)*(aa|a)*b"};
  const std::string text(5000, 'a');
  std::string together;
  for (const std::string_view piece : PreTokenizer(patterns).split(text)) together += piece;
  EXPECT_EQ(together, text);
}

}  // namespace
}  // namespace driftwood
