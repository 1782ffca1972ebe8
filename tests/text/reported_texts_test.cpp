// Texts that other programs were reported to get wrong: what a model reads and writes must not depend on them.
#include <gmock/gmock.h>

#include "model_files.h"
#include "text/stream_decoder.h"
#include "text/utf8.h"

namespace driftwood {
namespace {

using ::testing::ElementsAre;
using Ids = std::vector<std::int32_t>;

std::vector<std::string> pieces_of(const Tokenizer& tokenizer, const Ids& ids) {
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::vector<std::string> pieces_of(const Tokenizer& tokenizer, std::string_view text, EncodeOptions options = {}) {
  return pieces_of(tokenizer, tokenizer.encode(text, options));
}

TEST(ReportedTexts, SixTabsAreOneTokenOfGemma) {
  TOKENIZER_OR_SKIP(tokenizer, gemma3_file);
  EXPECT_THAT(pieces_of(*tokenizer, "\t\t\t\t\t\ttest"), ElementsAre("\t\t\t\t\t\t", "test"));
}

TEST(ReportedTexts, GemmaKeepsDoubleSpacesAndTags) {
  TOKENIZER_OR_SKIP(tokenizer, gemma3_file);
  EXPECT_THAT(pieces_of(*tokenizer, "a  b"), ElementsAre("a", "  ", "b"));
  EXPECT_THAT(pieces_of(*tokenizer, "<b>a</b>"), ElementsAre("<b>", "a", "</b>"));
  EXPECT_THAT(pieces_of(*tokenizer, "<table>\n  <tr>"), ElementsAre("<table>", "\n", "  ", "<tr>"));
  for (const char* text : {"a  b   c", "<h1>  x </h1>\n\n\n<ul>", "  ", "\n\n\n\n"}) {
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
  }
}

TEST(ReportedTexts, ASpecialTokenIsOneOnlyWhereItIsParsed) {
  TOKENIZER_OR_SKIP(gemma, gemma3_file);
  EXPECT_THAT(gemma->encode("<end_of_turn>", {.parse_special = true}), ElementsAre(106));
  EXPECT_GT(gemma->encode("<end_of_turn>").size(), 1U);
  EXPECT_EQ(gemma->decode(gemma->encode("<end_of_turn>")), "<end_of_turn>");
  TOKENIZER_OR_SKIP(smollm, smollm2_file);
  EXPECT_THAT(smollm->encode("<|im_end|>", {.parse_special = true}), ElementsAre(2));
  EXPECT_THAT(smollm->encode("<|im_end|>"), ElementsAre(44, 108, 306, 79, 486, 108, 46));
}

TEST(ReportedTexts, TheSpaceAfterALoneSpecialTokenStays) {
  const EncodeOptions parse{.parse_special = true};
  TOKENIZER_OR_SKIP(gemma, gemma3_file);
  EXPECT_THAT(pieces_of(*gemma, "<bos> ", parse), ElementsAre("<bos>", " "));
  EXPECT_THAT(pieces_of(*gemma, " <bos> x", parse), ElementsAre(" ", "<bos>", " x"));
  TOKENIZER_OR_SKIP(smollm, smollm2_file);
  EXPECT_THAT(pieces_of(*smollm, "<|im_end|> ", parse), ElementsAre("<|im_end|>", " "));
}

TEST(ReportedTexts, AnEmojiOfSeveralTokensComesWhole) {
  for (const char* file : {smollm2_file, gemma3_file}) {
    TOKENIZER_OR_SKIP(tokenizer, file);
    const std::string text = "🫠🏴‍☠️ 👩🏽‍🚀 🇫🇷 日𝄞";
    const Ids ids = tokenizer->encode(text);
    StreamDecoder stream(*tokenizer);
    std::string all;
    for (const std::int32_t id : ids) {
      const std::string part = stream.push(id);
      EXPECT_TRUE(utf8::is_valid(part)) << file;
      all += part;
    }
    EXPECT_EQ(all + stream.flush(), text) << file;
  }
}

}  // namespace
}  // namespace driftwood
