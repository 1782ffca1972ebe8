// Tokenizers of real models against what the models' own tokenizers give (tests/data/real).
#include <gmock/gmock.h>

#include <chrono>
#include <random>

#include "model_files.h"
#include "text/stream_decoder.h"

namespace driftwood {
namespace {

using Ids = std::vector<std::int32_t>;

std::string from_base64(const std::string& text) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned value = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    value = value << 6 | static_cast<unsigned>(alphabet.find(c));
    bits += 6;
    if (bits >= 8) bytes.push_back(static_cast<char>(value >> (bits -= 8) & 0xFF));
  }
  return bytes;
}

struct RealModel {
  const char* folder;
  const char* file;
};

class RealTokenizer : public testing::TestWithParam<RealModel> {};

TEST_P(RealTokenizer, TokenizesAsTheOriginal) {
  TOKENIZER_OR_SKIP(tokenizer, GetParam().file);
  const auto cases = read_oracle(GetParam().folder, "tokenize");
  EXPECT_GT(cases.size(), 170U);
  for (const auto& one : cases) {
    const auto ids = tokenizer->encode(one["text"].get<std::string>(),
                                       {.add_special = one["add_special"], .parse_special = one["parse_special"]});
    EXPECT_EQ(ids, one["ids"].get<Ids>()) << one.dump();
  }
}

TEST_P(RealTokenizer, TokenizesDisputedTextsAsTheRightOne) {
  TOKENIZER_OR_SKIP(tokenizer, GetParam().file);
  const auto cases = read_oracle(GetParam().folder, "tokenize_disputed");
  EXPECT_GE(cases.size(), 5U);
  for (const auto& one : cases) {
    const auto ids = tokenizer->encode(one["text"].get<std::string>(),
                                       {.add_special = one["add_special"], .parse_special = one["parse_special"]});
    EXPECT_EQ(ids, one[one["right"].get<std::string>()].get<Ids>()) << one.dump();
  }
}

TEST_P(RealTokenizer, DetokenizesToTheExactBytes) {
  TOKENIZER_OR_SKIP(tokenizer, GetParam().file);
  const auto cases = read_oracle(GetParam().folder, "detokenize");
  EXPECT_GT(cases.size(), 100U);
  for (const auto& one : cases) {
    const Ids ids = one["ids"].get<Ids>();
    const DecodeOptions options{.special = one["special"]};
    EXPECT_EQ(tokenizer->decode(ids, options), from_base64(one["bytes"])) << one.dump();
    StreamDecoder stream(*tokenizer, options);
    std::string streamed;
    for (const std::int32_t id : ids) streamed += stream.push(id);
    EXPECT_EQ(streamed + stream.flush(), from_base64(one["bytes"])) << one.dump();
  }
}

TEST_P(RealTokenizer, ComesBackFromRandomText) {
  TOKENIZER_OR_SKIP(tokenizer, GetParam().file);
  std::mt19937 random(1);
  const char* parts[] = {"the ", "x",   "  ", "\n",   "é",   "日本", "😀",       "1234",
                         "<b>",  "'ll", "\t", "\r\n", "Ünï", "!?",   "\xF0\x9F"};
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (auto n = random() % 20; n > 0; --n) text += parts[random() % std::size(parts)];
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
  }
}

TEST_P(RealTokenizer, TakesAMegabyteOfAnything) {
  TOKENIZER_OR_SKIP(tokenizer, GetParam().file);
  constexpr std::size_t length = 1 << 20;
  std::string noise;
  std::mt19937 random(2);
  while (noise.size() < length) noise += "abcdefgh \n.,0é"[random() % 14];
  std::string letters;
  while (letters.size() < length) letters += static_cast<char>('a' + random() % 26);
  for (const std::string& text :
       {std::string(length, 'a'), std::string(length, ' '), std::string(length, '\0'), std::string(length, '\n'),
        std::string(length, '7'), std::string(length, '\xFF'), std::string(length, '<'), noise, letters}) {
    const auto start = std::chrono::steady_clock::now();
    const Ids ids = tokenizer->encode(text, {.parse_special = true});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 20) << "a hang, on any machine: " << text.substr(0, 10);
    if (std::getenv("DRIFTWOOD_PRINT_TIMES") != nullptr) {
      std::printf("%.3f s for a megabyte of '%c'\n", seconds.count(), text[0]);
    }
    if (text[0] != '\xFF') {  // which SmolLM2's vocabulary lacks
      EXPECT_TRUE(tokenizer->decode(ids) == text) << text.substr(0, 10);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, RealTokenizer,
                         testing::Values(RealModel{"smollm2-135m", smollm2_file},
                                         RealModel{"gemma3-270m", gemma3_file}),
                         [](const auto& info) { return std::string(info.index == 0 ? "SmolLM2" : "Gemma3"); });

TEST(RealTokenizerIds, EndTheGeneration) {
  TOKENIZER_OR_SKIP(tokenizer, smollm2_file);
  EXPECT_EQ(tokenizer->end_of_generation(), (Ids{0, 2}));
  EXPECT_EQ(tokenizer->eos(), 2);
  EXPECT_FALSE(tokenizer->is_end_of_generation(1));
}

TEST(RealTokenizerIds, EndTheGenerationOfGemma) {
  TOKENIZER_OR_SKIP(tokenizer, gemma3_file);
  EXPECT_EQ(tokenizer->end_of_generation(), (Ids{1, 106}));
  EXPECT_TRUE(tokenizer->add_bos());
}

}  // namespace
}  // namespace driftwood
