// The tokenizer keys of GGUF metadata, from metadata made here.
#include "text/tokenizer_gguf.h"

#include <gmock/gmock.h>

#include <cstring>
#include <deque>

#include "base/error.h"
#include "text/tokenizer.h"

namespace driftwood {
namespace {

using testing::HasSubstr;

/// Metadata under construction; owns the bytes that values view.
class Metadata {
 public:
  Metadata& set(std::string_view key, GgufValue value) {
    std::erase_if(entries_, [&](const auto& entry) { return entry.key == key; });
    entries_.push_back({key, std::move(value)});
    return *this;
  }
  Metadata& remove(std::string_view key) {
    std::erase_if(entries_, [&](const auto& entry) { return entry.key == key; });
    return *this;
  }
  Metadata& set_strings(std::string_view key, const std::vector<std::string>& strings) {
    auto& bytes = storage_.emplace_back();
    for (const std::string& text : strings) {
      append(bytes, std::uint64_t{text.size()});
      for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
    }
    return set(key, GgufArray(GgufType::String, strings.size(), bytes));
  }
  template <class Number>
  Metadata& set_numbers(std::string_view key, GgufType type, const std::vector<Number>& numbers) {
    auto& bytes = storage_.emplace_back();
    for (const Number number : numbers) append(bytes, number);
    return set(key, GgufArray(type, numbers.size(), bytes));
  }

  TokenizerData load() const { return load_tokenizer_data(GgufMetadata(entries_)); }

  std::string error() const {
    try {
      load();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

 private:
  template <class Number>
  static void append(std::vector<std::byte>& bytes, Number number) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof number);
    std::memcpy(bytes.data() + at, &number, sizeof number);
  }

  std::vector<GgufMetadata::Entry> entries_;
  std::deque<std::vector<std::byte>> storage_;
};

Metadata byte_level() {
  Metadata metadata;
  metadata.set("tokenizer.ggml.model", std::string_view("gpt2"))
      .set("tokenizer.ggml.pre", std::string_view("llama-bpe"))
      .set_strings("tokenizer.ggml.tokens", {"a", "Ġ", "Ġa", "<s>"})
      .set_numbers<std::int32_t>("tokenizer.ggml.token_type", GgufType::I32, {1, 1, 1, 3})
      .set_strings("tokenizer.ggml.merges", {"Ġ a"})
      .set("tokenizer.ggml.bos_token_id", std::uint32_t{3});
  return metadata;
}

Metadata sentence_piece() {
  Metadata metadata;
  metadata.set("tokenizer.ggml.model", std::string_view("llama"))
      .set_strings("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "▁", "a", "▁a"})
      .set_numbers<float>("tokenizer.ggml.scores", GgufType::F32, {0, 0, 0, -2, -3, -1})
      .set_numbers<std::int32_t>("tokenizer.ggml.token_type", GgufType::I32, {2, 3, 3, 1, 1, 1});
  return metadata;
}

TEST(GgufTokenizer, ReadsByteLevelBpe) {
  const auto metadata = byte_level();
  const TokenizerData data = metadata.load();
  EXPECT_EQ(data.model, TokenizerModel::ByteLevelBpe);
  EXPECT_EQ(data.pre_tokenizer, "llama-bpe");
  EXPECT_EQ(data.bos, 3);
  EXPECT_FALSE(data.eos.has_value());
  EXPECT_TRUE(data.add_bos) << "as the family has it";
  EXPECT_EQ(Tokenizer::create(data)->encode("a a", {.add_special = true}), (std::vector<std::int32_t>{3, 0, 2}));
}

TEST(GgufTokenizer, ReadsSentencePieceWithItsDefaults) {
  const auto metadata = sentence_piece();
  const TokenizerData data = metadata.load();
  EXPECT_EQ(data.bos, 1);
  EXPECT_EQ(data.eos, 2);
  EXPECT_EQ(data.unknown, 0);
  EXPECT_TRUE(data.add_bos);
  EXPECT_FALSE(data.add_eos);
  EXPECT_EQ(data.space_prefix, SpacePrefix::EachFragment);
  EXPECT_EQ(Tokenizer::create(data)->encode("a?", {.add_special = true}), (std::vector<std::int32_t>{1, 5, 0}));
}

TEST(GgufTokenizer, TakesWhatTheFileSaysOverDefaults) {
  const TokenizerData data = sentence_piece()
                                 .set("tokenizer.ggml.add_bos_token", false)
                                 .set("tokenizer.ggml.add_eos_token", true)
                                 .set("tokenizer.ggml.add_space_prefix", false)
                                 .set("tokenizer.ggml.eos_token_id", std::uint32_t{4})
                                 .set("tokenizer.chat_template", std::string_view("{{ 1 }}"))
                                 .load();
  EXPECT_FALSE(data.add_bos);
  EXPECT_TRUE(data.add_eos);
  EXPECT_EQ(data.space_prefix, SpacePrefix::None);
  EXPECT_EQ(data.eos, 4);
  EXPECT_EQ(data.chat_template, "{{ 1 }}");
}

TEST(GgufTokenizer, TakesAByteTokenTypedAsNormalForAByte) {
  const auto load = [](std::int32_t type) {
    std::vector<std::string> tokens{"<unk>", "<s>", "</s>", "a"};
    std::vector<std::int32_t> types{2, 3, 3, 1};
    for (unsigned byte = 0; byte < 256; ++byte) {
      const char* digits = "0123456789ABCDEF";
      tokens.push_back({'<', '0', 'x', digits[byte / 16], digits[byte % 16], '>'});
      types.push_back(byte == '\n' || byte > 'z' ? type : 6);
    }
    return Tokenizer::create(sentence_piece()
                                 .set_strings("tokenizer.ggml.tokens", tokens)
                                 .set_numbers<std::int32_t>("tokenizer.ggml.token_type", GgufType::I32, types)
                                 .set_numbers<float>("tokenizer.ggml.scores", GgufType::F32, std::vector<float>(260))
                                 .set("tokenizer.ggml.add_space_prefix", false)
                                 .load());
  };
  for (const std::int32_t type : {1, 6}) {
    const auto tokenizer = load(type);
    EXPECT_EQ(tokenizer->encode("a\n"), (std::vector<std::int32_t>{3, 4 + '\n'}));
    EXPECT_EQ(tokenizer->decode(std::vector<std::int32_t>{3, 4 + '\n', 4 + 0xC3, 4 + 0xA9}), "a\né");
    EXPECT_EQ(tokenizer->encode("<0x0A>").size(), 6U) << "its name is no byte";
  }
}

TEST(GgufTokenizer, ComposesAccentsForQwenAlone) {
  const std::string apart = "e\xCC\x81", composed = "é";
  for (const std::string_view name : {"qwen2", "deepseek-r1-qwen"}) {
    Metadata metadata = byte_level();
    const TokenizerData data = metadata.set("tokenizer.ggml.pre", name).load();
    EXPECT_EQ(data.normalizer.size(), name == "qwen2" ? 1U : 0U) << name;
  }
  EXPECT_EQ(normalize(apart, std::vector{NormalizerStep::ComposedForm}), composed);
}

TEST(GgufTokenizer, NamesTheKeyThatIsWrong) {
  EXPECT_THAT(Metadata().error(), HasSubstr("tokenizer.ggml.model"));
  EXPECT_THAT(byte_level().set("tokenizer.ggml.model", std::string_view("bert")).error(),
              HasSubstr("'tokenizer.ggml.model' is 'bert'; supported are"));
  EXPECT_THAT(
      byte_level().set("tokenizer.ggml.pre", std::string_view("nonsense")).error(),
      testing::AllOf(HasSubstr("'nonsense' is not known; known are default"), HasSubstr("'tokenizer.ggml.pre'")));
  EXPECT_THAT(byte_level().remove("tokenizer.ggml.tokens").error(), HasSubstr("tokenizer.ggml.tokens"));
  EXPECT_THAT(byte_level().remove("tokenizer.ggml.merges").error(), HasSubstr("tokenizer.ggml.merges"));
  EXPECT_THAT(byte_level().set_strings("tokenizer.ggml.merges", {"ab"}).error(), HasSubstr("'ab' at element 0"));
  EXPECT_THAT(byte_level().set("tokenizer.ggml.bos_token_id", std::uint32_t{4}).error(),
              HasSubstr("'tokenizer.ggml.bos_token_id' is 4, but the vocabulary has 4 tokens"));
  EXPECT_THAT(byte_level().set_numbers<std::int32_t>("tokenizer.ggml.token_type", GgufType::I32, {1}).error(),
              HasSubstr("'tokenizer.ggml.token_type' has 1 elements"));
  EXPECT_THAT(byte_level().set_numbers<std::int32_t>("tokenizer.ggml.token_type", GgufType::I32, {1, 1, 1, 9}).error(),
              HasSubstr("the type 9 at element 3"));
  EXPECT_THAT(sentence_piece().remove("tokenizer.ggml.scores").error(), HasSubstr("tokenizer.ggml.scores"));
  EXPECT_THAT(sentence_piece().set_numbers<float>("tokenizer.ggml.scores", GgufType::F32, {0}).error(),
              HasSubstr("'tokenizer.ggml.scores' has 1 elements"));
}

}  // namespace
}  // namespace driftwood
