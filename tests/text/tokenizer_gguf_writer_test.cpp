#include "text/tokenizer_gguf_writer.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "formats/gguf.h"
#include "formats/temporary_folder.h"
#include "text/tokenizer.h"
#include "text/tokenizer_gguf.h"
#include "text/tokenizer_huggingface.h"

namespace driftwood {
namespace {

using ::testing::HasSubstr;

TokenizerData through_gguf(const TokenizerData& data) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "t.gguf";
  GgufWriter writer(path);
  write_tokenizer(writer, data);
  writer.begin();
  writer.finish();
  return load_tokenizer_data(GgufFile::open(path).metadata());
}

bool has_added_token(const TokenizerData& data, const std::string& text) {
  for (std::size_t id = 0; id < data.types.size(); ++id) {
    if (data.types[id] == TokenType::UserDefined && text.find(data.tokens[id]) != std::string::npos) return true;
  }
  return false;
}

// Tokenizers of Hugging Face's files give the same ids from a GGUF file, but for the spaces that some of their added
// tokens take with them, which GGUF has no words for.
TEST(TokenizerGgufWriter, TokenizersGiveTheSameIds) {
  std::ifstream stream(std::string(DRIFTWOOD_TEST_DATA) + "/text/small_tokenizers.json");
  const auto file = nlohmann::json::parse(stream);
  int written = 0;
  for (const auto& [name, one] : file.items()) {
    SCOPED_TRACE(name);
    TokenizerData data = parse_tokenizer_data(one["tokenizer"].get<std::string>(), "", "");
    data.strips.clear();
    // Nor for a space before the text alone and not after control tokens.
    if (data.space_prefix == SpacePrefix::TextStart) continue;
    if (const std::string obstacle = gguf_tokenizer_obstacle(data); !obstacle.empty()) {
      EXPECT_THAT(name, ::testing::AnyOf("deepseek-like", "metaspace-split")) << obstacle;
      continue;
    }
    ++written;
    const auto original = Tokenizer::create(data), copy = Tokenizer::create(through_gguf(data));
    for (const auto& example : one["cases"]) {
      const std::string text = example["text"];
      // An added token begins the text anew in Hugging Face's files, with a space where texts begin with one; a
      // user-defined piece is part of it.
      if (data.space_prefix != SpacePrefix::None && has_added_token(data, text)) continue;
      for (const bool special : {false, true}) {
        const EncodeOptions options = {.add_special = special, .parse_special = true};
        EXPECT_EQ(copy->encode(text, options), original->encode(text, options)) << text;
      }
    }
  }
  EXPECT_GE(written, 5);
}

TEST(TokenizerGgufWriter, EveryFieldComesBack) {
  TokenizerData data;
  data.model = TokenizerModel::SentencePiece;
  data.tokens = {"<unk>", "<s>", "</s>", "a", "b", "ab", "<pad>", "<end>"};
  data.types.assign(8, TokenType::Normal);
  data.types[0] = TokenType::Unknown;
  data.types[1] = data.types[2] = TokenType::Control;
  data.scores = {0, 0, 0, -1, -2, -3.5F, 0, 0};
  data.bos = 1;
  data.eos = 2;
  data.unknown = 0;
  data.padding = 6;
  data.eot = 7;
  data.add_bos = true;
  data.add_eos = true;
  data.space_prefix = SpacePrefix::EachFragment;
  data.chat_template = "{{ messages }}";
  const TokenizerData read = through_gguf(data);
  EXPECT_EQ(read.tokens, data.tokens);
  EXPECT_EQ(read.types, data.types);
  EXPECT_EQ(read.scores, data.scores);
  EXPECT_EQ(read.bos, data.bos);
  EXPECT_EQ(read.eos, data.eos);
  EXPECT_EQ(read.unknown, data.unknown);
  EXPECT_EQ(read.padding, data.padding);
  EXPECT_EQ(read.eot, data.eot);
  EXPECT_TRUE(read.add_bos);
  EXPECT_TRUE(read.add_eos);
  EXPECT_EQ(read.space_prefix, SpacePrefix::EachFragment);
  EXPECT_EQ(read.chat_template, data.chat_template);
  data.space_prefix = SpacePrefix::None;
  data.scores.clear();
  data.merges = {{"a", "b"}};
  const TokenizerData ranked = through_gguf(data);
  EXPECT_EQ(ranked.space_prefix, SpacePrefix::None);
  EXPECT_EQ(ranked.scores[5], 0.0F);
  EXPECT_LT(ranked.scores[3], 0.0F);
}

TEST(TokenizerGgufWriter, WhatGgufCannotSayIsRefused) {
  TokenizerData data;
  data.tokens = {"a"};
  EXPECT_EQ(gguf_tokenizer_obstacle(data), "");
  data.split_patterns = {{"[abc]"}};
  EXPECT_THAT(gguf_tokenizer_obstacle(data), HasSubstr("No pre-tokenizer"));
  EXPECT_THROW(through_gguf(data), Unsupported);
  data.split_patterns.clear();
  data.end_of_word_suffix = "</w>";
  EXPECT_THAT(gguf_tokenizer_obstacle(data), HasSubstr("end a word"));
}

}  // namespace
}  // namespace driftwood
