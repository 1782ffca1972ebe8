// SentencePiece's own files: small models with what Google's library gives (tests/data/text/sentencepiece, by
// tools/make_sentencepiece_cases.py), the files beside them in a folder, and files that are wrong.
#include "text/tokenizer_sentencepiece.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "base/error.h"
#include "formats/refusal.h"
#include "formats/temporary_folder.h"
#include "text/protobuf_reader.h"
#include "text/tokenizer.h"
#include "text/tokenizer_huggingface.h"

namespace driftwood {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::refusal_of;
using testing::TemporaryFolder;
using Ids = std::vector<std::int32_t>;

const std::string data_folder = DRIFTWOOD_TEST_DATA "/text/";

std::string read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string model_file(const std::string& name) { return read(data_folder + "sentencepiece/" + name + ".model"); }

/// A message of protocol buffers under construction.
struct Message {
  std::string bytes;

  Message& varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
    return *this;
  }
  Message& number(std::uint64_t field, std::uint64_t value) { return varint(field << 3).varint(value); }
  Message& text(std::uint64_t field, const std::string& value) {
    varint(field << 3 | 2).varint(value.size()).bytes += value;
    return *this;
  }
  Message& real(std::uint64_t field, float value) {
    varint(field << 3 | 5).bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
};

std::string piece(const std::string& text, float score, std::uint64_t type = 1) {
  return Message().text(1, text).real(2, score).number(3, type).bytes;
}

/// <unk>, <s>, </s>, "▁", "a", "b", "ab", "▁a"; BPE.
Message small_model() {
  Message model;
  model.text(1, piece("<unk>", 0, 2)).text(1, piece("<s>", 0, 3)).text(1, piece("</s>", 0, 3));
  float score = -4;
  for (const char* text : {"▁", "a", "b"}) model.text(1, piece(text, score--));
  model.text(1, piece("ab", -1)).text(1, piece("▁a", -2));
  model.text(2, Message().number(3, 2).bytes);
  return model;
}

std::unique_ptr<Tokenizer> created(const std::string& model, SentencePieceFiles files = {}) {
  files.model = bytes_of(model);
  return Tokenizer::create(parse_sentence_piece_data(files));
}

std::string error_of(const std::string& model, SentencePieceFiles files = {}) {
  return refusal_of([&] { created(model, files); }).message;
}

TEST(SentencePieceModel, GivesWhatTheLibraryGives) {
  const auto file = nlohmann::json::parse(read(data_folder + "sentencepiece_cases.json"));
  EXPECT_EQ(file.size(), 6U);
  for (const auto& [name, cases] : file.items()) {
    const auto tokenizer = created(model_file(name));
    for (const auto& one : cases) {
      EXPECT_EQ(tokenizer->encode(one["text"].get<std::string>()), one["ids"].get<Ids>()) << name << ": " << one;
    }
  }
}

TEST(SentencePieceModel, ComesBackFromAnyBytesWhereNothingIsChanged) {
  for (const char* name : {"bpe-llama", "bpe-gemma"}) {
    const auto tokenizer = created(model_file(name));
    for (const std::string& text : {std::string("kalo  mi\n"), std::string("\xFF\xF0\x9F z\0", 6), std::string("😀")}) {
      EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text) << name;
    }
  }
}

TEST(SentencePieceModel, TakesLongTextsInNearLinearTime) {
  for (const char* name : {"unigram-bytes", "unigram-plain", "bpe-rules"}) {
    const auto tokenizer = created(model_file(name));
    for (const std::string& text :
         {std::string(1 << 18, 'a'), std::string(1 << 18, ' '), std::string(1 << 18, '\xFF')}) {
      EXPECT_LT(refusal_of([&] { tokenizer->encode(text); }).seconds, 10) << name << text.substr(0, 5);
    }
  }
}

TEST(SentencePieceModel, AddsWhatTheFilesBesideItName) {
  const auto tokenizer =
      created(small_model().bytes, {.tokenizer_config = R"({
    "added_tokens_decoder": {"8": {"content": "<|user|>", "special": true, "rstrip": true},
                             "9": {"content": "<tool>", "special": false}},
    "add_eos_token": true, "chat_template": "{{ bos_token }}T"})",
                                    .special_tokens_map = R"({"eos_token": {"content": "<|user|>"}})",
                                    .chat_template = "own"});
  EXPECT_EQ(tokenizer->size(), 10);
  EXPECT_EQ(tokenizer->bos(), 1);
  EXPECT_EQ(tokenizer->eos(), 8);
  EXPECT_EQ(tokenizer->chat_template(), "own");
  EXPECT_THAT(tokenizer->encode("ab", {.add_special = true}), ElementsAre(1, 3, 6, 8));
  EXPECT_THAT(tokenizer->encode("<|user|>\n a<tool>", {.parse_special = true}), ElementsAre(8, 7, 9));
  EXPECT_THAT(created(small_model().bytes, {.added_tokens = R"({"[PAD]": 8})"})->encode("[PAD]"), ElementsAre(3, 8));
}

TEST(SentencePieceModel, SaysWhereASpaceIsAdded) {
  const EncodeOptions parse{.parse_special = true};
  const auto ids = [&](std::string_view config) {
    return created(small_model().bytes, {.tokenizer_config = config})->encode("a</s>a", parse);
  };
  EXPECT_THAT(ids(""), ElementsAre(7, 2, 7));
  EXPECT_THAT(ids(R"({"legacy": false})"), ElementsAre(7, 2, 4));
  EXPECT_THAT(ids(R"({"legacy": false, "add_prefix_space": false})"), ElementsAre(4, 2, 4));
}

TEST(SentencePieceModel, IsReadFromAFolder) {
  const TemporaryFolder folder;
  EXPECT_FALSE(has_tokenizer(folder.path()));
  EXPECT_THAT(refusal_of([&] { load_tokenizer_data(folder.path()); }).message, HasSubstr("has no tokenizer"));
  folder.write("tokenizer.model", small_model().bytes);
  folder.write("tokenizer_config.json", R"({"chat_template": "config's"})");
  EXPECT_TRUE(has_tokenizer(folder.path()));
  EXPECT_EQ(load_tokenizer_data(folder.path()).chat_template, "config's");
  folder.write("chat_template.jinja", "own");
  EXPECT_EQ(load_tokenizer_data(folder.path()).chat_template, "own");
  EXPECT_TRUE(load_tokenizer_data(folder.path()).add_bos);
  folder.write("tokenizer.json",
               R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, "decoder": {"type": "ByteLevel"}})");
  EXPECT_EQ(load_tokenizer_data(folder.path()).tokens.size(), 1U) << "a tokenizer.json comes first";
}

TEST(SentencePieceModel, PassesOverFieldsThatItDoesNotKnow) {
  Message model = small_model();
  model.number(77, 5).text(200, "x").real(201, 1).text(5, "denormalizer");
  model.varint(202 << 3 | 1).bytes.append(8, 'x');
  EXPECT_THAT(created(model.bytes)->encode("ab"), ElementsAre(3, 6));
}

TEST(SentencePieceModel, RefusesWhatIsWrong) {
  const std::string good = small_model().bytes;
  EXPECT_THAT(error_of(""), HasSubstr("has no pieces"));
  for (std::size_t length = 1; length < good.size(); ++length) {
    // A cut between fields leaves a smaller model; any other is seen.
    refusal_of([&] { created(good.substr(0, length)); });
  }
  EXPECT_THAT(error_of(good.substr(0, good.size() - 1)), HasSubstr("The file ends within"));
  EXPECT_THAT(error_of(Message{good}.varint(1 << 3 | 2).varint(UINT64_MAX).bytes), HasSubstr("only 0 remain"));
  EXPECT_THAT(error_of(good + std::string(11, '\xFF')), HasSubstr("more than 64 bits"));
  EXPECT_THAT(error_of(good + std::string(2, '\0')), HasSubstr("field number 0"));
  EXPECT_THAT(error_of(Message{good}.varint(9 << 3 | 3).bytes), HasSubstr("of the kind 3"));
  EXPECT_THAT(error_of(Message{good}.number(1, 7).bytes), HasSubstr("wire kind 0; 2 is expected"));
  EXPECT_THAT(error_of(Message{good}.text(1, Message().number(2, 7).bytes).bytes), HasSubstr("score of a piece"));
  EXPECT_THAT(error_of(Message{good}.text(1, piece("x", 0, 9)).bytes), HasSubstr("The piece 8 of"));
  EXPECT_THAT(error_of(Message{good}.text(1, piece("<unk2>", 0, 2)).bytes), HasSubstr("2 pieces for unknown text"));
  EXPECT_THAT(error_of(Message().text(1, piece("a", 0)).bytes), HasSubstr("only 1 pieces"));
  EXPECT_THAT(error_of(Message{good}.text(1, piece("a", NAN)).bytes), HasSubstr("score of the token 8"));
  EXPECT_THAT(error_of(Message{good}.text(1, piece("byte", 0, 6)).bytes), HasSubstr("byte token 8"));
  EXPECT_THAT(error_of(Message{good}.text(2, Message().number(41, 8).bytes).bytes), HasSubstr("special piece 8"));
  EXPECT_THAT(error_of(Message{good}.text(2, Message().number(3, 9).bytes).bytes), HasSubstr("of the type 9"));
  EXPECT_THAT(error_of(Message{good}.text(2, Message().number(3, 4).bytes).bytes), HasSubstr("supported are 1"));
  EXPECT_THAT(error_of(Message{good}.text(2, Message().number(24, 1).bytes).bytes), HasSubstr("end of words"));
  EXPECT_THAT(error_of(Message{good}.text(3, Message().number(5, 0).bytes).bytes), HasSubstr("escape_whitespaces"));
  EXPECT_THAT(error_of(good, {.tokenizer_config = "{"}), HasSubstr("tokenizer_config.json"));
  EXPECT_THAT(error_of(good, {.added_tokens = R"({"x": 10})"}), HasSubstr("has the id '10'"));
  EXPECT_THAT(error_of(good, {.special_tokens_map = R"({"bos_token": "<z>"})"}), HasSubstr("no token '<z>'"));
}

TEST(SentencePieceModel, SurvivesAnyBytes) {
  std::mt19937 random(3);
  std::vector<std::string> seeds;
  for (const char* name : {"ok-table", "ok-bpe", "ok-no-prefix"}) {
    seeds.push_back(read(std::string(DRIFTWOOD_SOURCE_DIR "/tests/fuzz/corpus/sentencepiece/") + name));
  }
  for (int i = 0; i < 3000; ++i) {
    std::string model = seeds[random() % seeds.size()];
    for (auto n = random() % 4; n-- > 0;) model[random() % model.size()] = static_cast<char>(random());
    if (random() % 4 == 0) model.resize(random() % model.size());
    refusal_of([&] {
      const auto tokenizer = created(model);
      tokenizer->decode(tokenizer->encode("ab  bab\xFF é<x>", {.parse_special = true}));
    });
  }
}

TEST(SentencePieceModel, RefusesAnImpossibleTableOfCharacters) {
  const auto error = [](const std::string& table) {
    return error_of(small_model().text(3, Message().text(2, table).bytes).bytes);
  };
  const std::string unit("\1\0\0\0", 4), four("\4\0\0\0", 4);
  EXPECT_THAT(error("x"), HasSubstr("has 1 bytes and claims 0"));
  EXPECT_THAT(error(four + "ab"), HasSubstr("claims 4"));
  EXPECT_THAT(error(std::string("\3\0\0\0", 4) + "abcdefg"), HasSubstr("claims 3"));
  EXPECT_THAT(error("\xFF\xFF\xFF\x7F" + unit), HasSubstr("claims 2147483647"));
  EXPECT_THAT(error(four + unit + "open"), HasSubstr("without an end"));
  // Offsets that lead out of the array, and replacements that are not there.
  for (const std::string& units :
       {std::string("\xFF\xFF\xFF\x7F", 4), std::string(1024, '\xFF'), std::string(1024, 'a')}) {
    std::string size(4, '\0');
    size[0] = static_cast<char>(units.size() & 0xFF);
    size[1] = static_cast<char>(units.size() >> 8);
    const std::string model =
        small_model().text(3, Message().text(2, size + units + std::string("x\0", 2)).bytes).bytes;
    created(model)->encode("any text aaaa\xFF");
  }
}

TEST(SentencePieceModel, ReadsTheFuzzersCorpus) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(DRIFTWOOD_SOURCE_DIR "/tests/fuzz/corpus/sentencepiece")) {
    const std::string message = error_of(read(entry.path()));
    const bool is_good = entry.path().filename().string().starts_with("ok-");
    EXPECT_EQ(message.empty(), is_good) << entry.path() << ": " << message;
    ++count;
  }
  EXPECT_GT(count, 10);
}

}  // namespace
}  // namespace driftwood
