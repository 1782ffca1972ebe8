// Tokenizers over small vocabularies made here, and small ones trained with Hugging Face's library
// (tests/data/text/small_tokenizers.json, by tools/make_tokenizer_cases.py).
#include "text/tokenizer.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "base/error.h"
#include "text/byte_alphabet.h"
#include "text/stream_decoder.h"
#include "text/tokenizer_huggingface.h"
#include "text/utf8.h"

namespace driftwood {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Ids = std::vector<std::int32_t>;

/// All bytes (ids 0 to 255), then "ab", "abc", " a", and special tokens.
TokenizerData byte_level_data() {
  TokenizerData data;
  data.pre_tokenizer = "gpt-2";
  for (int byte = 0; byte < 256; ++byte)
    data.tokens.push_back(byte_alphabet::encode(std::string(1, static_cast<char>(byte))));
  for (const char* text : {"ab", "abc", "Ġa", "<s>", "</s>", "<s>x", "<user>"}) data.tokens.emplace_back(text);
  data.types.assign(data.tokens.size(), TokenType::Normal);
  data.types[259] = data.types[260] = data.types[261] = TokenType::Control;
  data.types[262] = TokenType::UserDefined;
  data.merges = {{"a", "b"}, {"ab", "c"}, {"Ġ", "a"}};
  data.bos = 259;
  data.eos = 260;
  return data;
}

/// <unk>, <s>, </s>, all bytes (ids 3 to 258), then pieces with falling scores.
TokenizerData sentence_piece_data(SpacePrefix prefix) {
  TokenizerData data;
  data.model = TokenizerModel::SentencePiece;
  const auto add = [&](std::string text, TokenType type, float score) {
    data.tokens.push_back(std::move(text));
    data.types.push_back(type);
    data.scores.push_back(score);
  };
  add("<unk>", TokenType::Unknown, 0);
  add("<s>", TokenType::Control, 0);
  add("</s>", TokenType::Control, 0);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char* digits = "0123456789ABCDEF";
    add({'<', '0', 'x', digits[byte / 16], digits[byte % 16], '>'}, TokenType::Byte, 0);
  }
  float score = 0;
  for (const char* text : {"ab", "▁a", "▁ab", "abab", "▁", "a", "b", "c"}) add(text, TokenType::Normal, --score);
  add("<div>", TokenType::UserDefined, 0);
  add("  ", TokenType::UserDefined, 0);
  data.bos = 1;
  data.eos = 2;
  data.unknown = 0;
  data.space_prefix = prefix;
  return data;
}

std::vector<std::string> pieces_of(const Tokenizer& tokenizer, const Ids& ids) {
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

template <class Change>
std::string create_error(TokenizerData data, const Change& change) {
  change(data);
  try {
    Tokenizer::create(std::move(data));
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "no error";
}

TEST(ByteLevelBpe, MergesByRank) {
  const auto tokenizer = Tokenizer::create(byte_level_data());
  EXPECT_THAT(pieces_of(*tokenizer, tokenizer->encode("abcab ab")), ElementsAre("abc", "ab", " ", "ab"));
  EXPECT_THAT(tokenizer->encode(""), IsEmpty());
  EXPECT_THAT(tokenizer->encode(std::string_view("\0\xFF", 2)), ElementsAre(0, 255));
}

TEST(ByteLevelBpe, AddsAndParsesSpecialTokens) {
  auto data = byte_level_data();
  data.add_bos = data.add_eos = true;
  const auto tokenizer = Tokenizer::create(std::move(data));
  EXPECT_THAT(tokenizer->encode("", {.add_special = true}), ElementsAre(259, 260));
  EXPECT_THAT(tokenizer->encode("ab", {.add_special = true}), ElementsAre(259, 256, 260));
  EXPECT_THAT(tokenizer->encode("<s>ab</s><s>x", {.parse_special = true}), ElementsAre(259, 256, 260, 261))
      << "the longest";
  EXPECT_THAT(tokenizer->encode("<user>"), ElementsAre(262)) << "user-defined tokens are always parsed";
  EXPECT_EQ(tokenizer->encode("<s>").size(), 3U);
}

TEST(ByteLevelBpe, KeepsAWholeTokenWhereMergesAreIgnored) {
  auto data = byte_level_data();
  data.tokens.emplace_back("xyz");
  data.types.push_back(TokenType::Normal);
  data.ignore_merges = true;
  const auto tokenizer = Tokenizer::create(std::move(data));
  EXPECT_THAT(tokenizer->encode("xyz"), ElementsAre(263));
  EXPECT_EQ(tokenizer->encode("xyzx").size(), 4U);
}

TEST(ByteLevelBpe, LeavesOutBytesWithoutATokenAndSplitsUnknownMerges) {
  auto data = byte_level_data();
  data.tokens.erase(data.tokens.begin() + 256, data.tokens.end());  // "ab" is in the merges alone
  data.tokens['c'] = "other";
  data.types.clear();
  data.bos.reset();
  data.eos.reset();
  const auto tokenizer = Tokenizer::create(std::move(data));
  EXPECT_THAT(tokenizer->encode("abc"), ElementsAre('a', 'b'));
}

TEST(ByteLevelBpe, DecodesToExactBytes) {
  const auto tokenizer = Tokenizer::create(byte_level_data());
  const Ids ids{259, 0xE6, 0x97, 260, 258, 0xFF};
  EXPECT_EQ(tokenizer->decode(ids), "\xE6\x97 a\xFF");
  EXPECT_EQ(tokenizer->decode(ids, {.special = true}), "<s>\xE6\x97</s> a\xFF");
}

TEST(ByteLevelBpe, RefusesWhatDoesNotFit) {
  const auto error = [](const auto& change) { return create_error(byte_level_data(), change); };
  EXPECT_THAT(error([](auto& data) { data.tokens.clear(); }), HasSubstr("has 0 tokens"));
  EXPECT_THAT(error([](auto& data) { data.types.pop_back(); }), HasSubstr("263 tokens but 262 token types"));
  EXPECT_THAT(error([](auto& data) { data.bos = 263; }),
              HasSubstr("The BOS token is 263, but the vocabulary ends at 262"));
  EXPECT_THAT(error([](auto& data) { data.eos = -5; }), HasSubstr("EOS token is -5"));
  EXPECT_THAT(error([](auto& data) {
                data.add_bos = true;
                data.bos.reset();
              }),
              HasSubstr("names none"));
  EXPECT_THAT(error([](auto& data) { data.merges.emplace_back("", "x"); }), HasSubstr("merge 3"));
  EXPECT_THAT(error([](auto& data) { data.pre_tokenizer = "x"; }), HasSubstr("'x' is not known"));
  EXPECT_THAT(error([](auto& data) { data.tokens[262] = std::string(2000, 'x'); }), HasSubstr("2000 bytes"));
}

TEST(SentencePiece, MergesByScore) {
  const auto tokenizer = Tokenizer::create(sentence_piece_data(SpacePrefix::None));
  EXPECT_THAT(pieces_of(*tokenizer, tokenizer->encode("abab ab a")), ElementsAre("abab", " ab", " a"));
  EXPECT_THAT(pieces_of(*tokenizer, tokenizer->encode("a<div>b")), ElementsAre("a", "<div>", "b"));
  EXPECT_THAT(pieces_of(*tokenizer, tokenizer->encode("a   b")), ElementsAre("a", "  ", " ", "b"));
  EXPECT_EQ(tokenizer->encode("a▁b"), tokenizer->encode("a b"));
}

TEST(SentencePiece, FallsBackToBytes) {
  const auto tokenizer = Tokenizer::create(sentence_piece_data(SpacePrefix::None));
  EXPECT_THAT(tokenizer->encode("é"), ElementsAre(3 + 0xC3, 3 + 0xA9));
  EXPECT_THAT(tokenizer->encode(std::string_view("\0\xFF", 2)), ElementsAre(3, 3 + 0xFF));
}

TEST(SentencePiece, UsesTheUnknownTokenWithoutBytes) {
  auto data = sentence_piece_data(SpacePrefix::None);
  data.types[10] = TokenType::Unused;
  const auto tokenizer = Tokenizer::create(std::move(data));
  EXPECT_THAT(tokenizer->encode("aéèb"), ElementsAre(264, 0, 265)) << "one for a run";
}

TEST(SentencePiece, AddsTheSpaceThatTheTextLacks) {
  const auto each = Tokenizer::create(sentence_piece_data(SpacePrefix::EachFragment));
  const auto first = Tokenizer::create(sentence_piece_data(SpacePrefix::TextStart));
  const EncodeOptions parse{.parse_special = true};
  EXPECT_THAT(pieces_of(*each, each->encode("a</s>a", parse)), ElementsAre(" a", "</s>", " a"));
  EXPECT_THAT(pieces_of(*first, first->encode("a</s>a", parse)), ElementsAre(" a", "</s>", "a"));
  EXPECT_THAT(pieces_of(*each, each->encode("<div>a")), ElementsAre(" ", "<div>", "a"));
  EXPECT_THAT(each->encode(""), IsEmpty());
  for (const auto* tokenizer : {each.get(), first.get()}) {
    for (const char* text : {"a", " a", "  a", "a</s>a", "</s> a</s>", "<div> a"}) {
      EXPECT_EQ(tokenizer->decode(tokenizer->encode(text, parse), {.special = true}), text);
    }
  }
  EXPECT_EQ(each->decode(each->encode("a"), {.continuation = true}), " a");
}

TEST(SentencePiece, SplitsUnusedPiecesAgain) {
  auto data = sentence_piece_data(SpacePrefix::None);
  data.types[262] = TokenType::Unused;  // "abab"
  const auto tokenizer = Tokenizer::create(std::move(data));
  EXPECT_THAT(pieces_of(*tokenizer, tokenizer->encode("abab")), ElementsAre("ab", "ab"));
}

TEST(SentencePiece, RefusesWhatDoesNotFit) {
  const auto error = [](const auto& change) { return create_error(sentence_piece_data(SpacePrefix::None), change); };
  EXPECT_THAT(error([](auto& data) { data.scores.pop_back(); }), HasSubstr("but 268 scores"));
  EXPECT_THAT(error([](auto& data) { data.scores[5] = NAN; }), HasSubstr("score of the token 5"));
  EXPECT_THAT(error([](auto& data) { data.tokens[5] = "<0xZZ>"; }), HasSubstr("byte token 5"));
  EXPECT_THAT(error([](auto& data) { data.scores.clear(); }), HasSubstr("neither scores nor merges"));
  EXPECT_THAT(error([](auto& data) {
                data.scores.clear();
                data.merges = {{"a", "z"}};
              }),
              HasSubstr("merge 0"));
}

TEST(Tokenizer, RefusesIdsOutsideTheVocabulary) {
  const auto tokenizer = Tokenizer::create(byte_level_data());
  for (const std::int32_t id : {-1, 263, INT32_MAX, INT32_MIN}) {
    EXPECT_THROW(tokenizer->decode(Ids{1, id}), InvalidInput);
    EXPECT_THROW(tokenizer->piece(id), InvalidInput);
    EXPECT_THROW(StreamDecoder(*tokenizer).push(id), InvalidInput);
    EXPECT_FALSE(tokenizer->is_end_of_generation(id));
  }
  try {
    tokenizer->decode(Ids{263});
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("token id 263 is not in the vocabulary, which has 0 to 262"));
  }
}

TEST(Tokenizer, EndsTheGenerationAtKnownControlTokens) {
  auto data = byte_level_data();
  data.eot = 261;
  EXPECT_THAT(Tokenizer::create(data)->end_of_generation(), ElementsAre(260, 261));
  data.types[260] = TokenType::UserDefined;
  data.eos.reset();
  data.eot.reset();
  EXPECT_THAT(Tokenizer::create(data)->end_of_generation(), IsEmpty()) << "</s> is plain text here";
}

TEST(Tokenizer, ComesBackFromRandomBytes) {
  const auto bytes = Tokenizer::create(byte_level_data());
  const auto pieces = Tokenizer::create(sentence_piece_data(SpacePrefix::EachFragment));
  std::mt19937 random(4);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    const char* parts[] = {"a", "b", " ", "c", "<", "é", "日", "😀", "</s>", "\n"};
    for (auto n = random() % 60; n > 0; --n) {
      if (i % 2 == 0 && random() % 2 == 0) {
        text += static_cast<char>(random() % 256);
      } else {
        text += parts[random() % std::size(parts)];
      }
    }
    const bool is_valid = utf8::is_valid(text);
    for (const auto* tokenizer : {bytes.get(), pieces.get()}) {
      const Ids ids = tokenizer->encode(text, {.parse_special = true});
      EXPECT_EQ(tokenizer->decode(ids, {.special = true}), text);
      StreamDecoder stream(*tokenizer, {.special = true});
      std::string streamed;
      for (const std::int32_t id : ids) {
        const std::string part = stream.push(id);
        EXPECT_TRUE(!is_valid || utf8::is_valid(part)) << "no character is cut";
        streamed += part;
      }
      EXPECT_EQ(streamed + stream.flush(), text);
    }
  }
}

TEST(StreamDecoder, WaitsForWholeCharacters) {
  const auto tokenizer = Tokenizer::create(byte_level_data());
  StreamDecoder stream(*tokenizer);
  EXPECT_EQ(stream.push(0xF0), "");
  EXPECT_EQ(stream.push(0x9F), "");
  EXPECT_EQ(stream.push(0x98), "");
  EXPECT_EQ(stream.push(0x80), "😀");
  EXPECT_EQ(stream.push(0xC3), "");
  EXPECT_EQ(stream.push('x'), "\xC3x") << "what cannot be finished comes out";
  EXPECT_EQ(stream.push(0xE6), "");
  EXPECT_EQ(stream.push(260), "") << "control tokens are dropped";
  EXPECT_EQ(stream.flush(), "\xE6");
  EXPECT_EQ(stream.flush(), "");
}

TEST(StreamDecoder, KeepsTheSpaceAfterAPrompt) {
  const auto tokenizer = Tokenizer::create(sentence_piece_data(SpacePrefix::EachFragment));
  StreamDecoder stream(*tokenizer);
  EXPECT_EQ(stream.push(260), " a");
}

TEST(HuggingFaceTokenizer, GivesWhatTheLibraryGives) {
  std::ifstream stream(std::string(DRIFTWOOD_TEST_DATA) + "/text/small_tokenizers.json");
  const auto file = nlohmann::json::parse(stream);
  EXPECT_EQ(file.size(), 12U);
  for (const auto& [name, one] : file.items()) {
    const auto tokenizer = Tokenizer::create(parse_tokenizer_data(one["tokenizer"].get<std::string>(), "", ""));
    for (const auto& example : one["cases"]) {
      const std::string text = example["text"];
      EXPECT_EQ(tokenizer->encode(text, {.parse_special = true}), example["ids"].get<Ids>()) << name << ": " << text;
      EXPECT_EQ(tokenizer->encode(text, {.add_special = true, .parse_special = true}),
                example["with_special"].get<Ids>());
    }
  }
}

TEST(HuggingFaceTokenizer, ReadsTheConfiguration) {
  const std::string tokenizer =
      R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]},
    "added_tokens": [{"id": 5, "content": "<s>", "special": true}, {"id": 4, "content": "</s>", "special": true}],
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}})";
  const std::string config = R"({"bos_token": "<s>", "eos_token": {"content": "</s>"}, "add_bos_token": true,
    "chat_template": [{"name": "tool_use", "template": "T"}, {"name": "default", "template": "D"}]})";
  const TokenizerData data = parse_tokenizer_data(tokenizer, config, "");
  EXPECT_EQ(data.tokens.size(), 6U);
  EXPECT_EQ(data.types[3], TokenType::Unused);
  EXPECT_EQ(data.bos, 5);
  EXPECT_EQ(data.eos, 4);
  EXPECT_TRUE(data.add_bos);
  EXPECT_FALSE(data.add_eos);
  EXPECT_EQ(data.chat_template, "D");
  EXPECT_EQ(parse_tokenizer_data(tokenizer, config, "own file").chat_template, "own file");
  EXPECT_EQ(Tokenizer::create(data)->encode("ab", {.add_special = true}), (Ids{5, 2}));
}

TEST(HuggingFaceTokenizer, RefusesWhatItCannotDo) {
  const std::string model = R"("model": {"type": "BPE", "vocab": {"a": 0}, "merges": []})";
  const std::string byte_level = R"("decoder": {"type": "ByteLevel"})";
  for (const std::string& text : {
           std::string(""),
           std::string("{"),
           std::string("[]"),
           std::string(R"({"model": {"type": "Unigram"}})"),
           std::string(R"({"model": {"type": "BPE", "merges": []}})"),
           std::string(R"({"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}})"),
           std::string(R"({"model": {"type": "BPE", "vocab": {"a": 99999999999}, "merges": []}})"),
           std::string(R"({"model": {"type": "BPE", "vocab": {"a": "x"}, "merges": []}})"),
           std::string(R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a"]}})"),
           std::string(R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [[1, 2]]}})"),
           std::string(R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], "end_of_word_suffix": "</w>"}})"),
           "{" + model + "," + byte_level + R"(, "normalizer": {"type": "NFKC"}})",
           "{" + model + "," + byte_level + R"(, "pre_tokenizer": {"type": "Whitespace"}})",
           "{" + model + "," + byte_level +
               R"(, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "MergedWithNext"}})",
           "{" + model + "," + byte_level + R"(, "added_tokens": [{"id": 1, "content": "x", "single_word": true}]})",
           "{" + model + "," + byte_level + R"(, "added_tokens": [{"content": "x"}]})",
       }) {
    EXPECT_THROW(parse_tokenizer_data(text, "", ""), Error) << text;
  }
  EXPECT_THROW(load_tokenizer_data(std::filesystem::path("/nonexistent")), InvalidInput);
}

TEST(Utf8, KnowsWhatIsValid) {
  EXPECT_TRUE(utf8::is_valid("aé日😀\xF4\x8F\xBF\xBF"));
  for (const char* text : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                           "\xF4\x90\x80\x80", "\xF5", "\xE6\x97"}) {
    EXPECT_FALSE(utf8::is_valid(text));
  }
  EXPECT_EQ(utf8::incomplete_suffix("a\xE6\x97"), 2U);
  EXPECT_EQ(utf8::incomplete_suffix("\xF0\x9F\x98"), 3U);
  EXPECT_EQ(utf8::incomplete_suffix("\xED\xA0"), 0U) << "a surrogate cannot be finished";
  EXPECT_EQ(utf8::incomplete_suffix("日"), 0U);
  EXPECT_EQ(utf8::replace_invalid("a\xFF\xE6\x97z"), "a\uFFFD\uFFFD\uFFFDz");
}

TEST(ByteAlphabet, IsABijection) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  EXPECT_EQ(byte_alphabet::decode(byte_alphabet::encode(bytes)), bytes);
  EXPECT_EQ(byte_alphabet::encode(" \n!"), "ĠĊ!");
  EXPECT_EQ(byte_alphabet::decode("Ġ日"), " 日");
}

}  // namespace
}  // namespace driftwood
