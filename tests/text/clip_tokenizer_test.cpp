// CLIP's tokenizer against transformers' (tests/data/sd/clip_tokenize.json), from both kinds of files, and files that
// are wrong.
#include "text/clip_tokenizer.h"

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "formats/refusal.h"
#include "formats/temporary_folder.h"
#include "text/tokenizer_clip.h"
#include "text/tokenizer_huggingface.h"
#include "text/utf8.h"

namespace driftwood {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::refusal_of;
using testing::TemporaryFolder;
using Ids = std::vector<std::int32_t>;

const std::filesystem::path pipeline = std::filesystem::path(DRIFTWOOD_SOURCE_DIR) / "models/shapes-sd";

std::string read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

const ClipTokenizer& clip() {
  static const ClipTokenizer tokenizer = ClipTokenizer::open(pipeline / "tokenizer");
  return tokenizer;
}

/// The same tokenizer as a tokenizer.json.
std::string as_tokenizer_json() {
  json merges = json::array();
  std::istringstream lines(read(pipeline / "tokenizer/merges.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#version")) merges.push_back(line);
  }
  const json split = {{"type", "Split"},
                      {"pattern", {{"Regex", R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)"}}},
                      {"behavior", "Removed"},
                      {"invert", true}};
  const json byte_level = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}};
  const json spaces = {{"type", "Replace"}, {"pattern", {{"Regex", R"(\s+)"}}}, {"content", " "}};
  json added = json::array();
  for (const auto& [id, text] : {std::pair(49406, "<|startoftext|>"), std::pair(49407, "<|endoftext|>")}) {
    added.push_back({{"id", id}, {"content", text}, {"special", true}, {"single_word", false}});
  }
  const json normalizers = {json{{"type", "NFC"}}, spaces, json{{"type", "Lowercase"}}};
  const json tokenizer = {
      {"added_tokens", added},
      {"normalizer", {{"type", "Sequence"}, {"normalizers", normalizers}}},
      {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split, byte_level}}}},
      {"post_processor",
       {{"type", "RobertaProcessing"}, {"sep", {"<|endoftext|>", 49407}}, {"cls", {"<|startoftext|>", 49406}}}},
      {"decoder", byte_level},
      {"model",
       {{"type", "BPE"},
        {"unk_token", "<|endoftext|>"},
        {"continuing_subword_prefix", ""},
        {"end_of_word_suffix", "</w>"},
        {"vocab", json::parse(read(pipeline / "tokenizer/vocab.json"))},
        {"merges", merges}}}};
  return tokenizer.dump();
}

void expect_cases(const ClipTokenizer& tokenizer) {
  const json oracle = json::parse(read(DRIFTWOOD_TEST_DATA "/sd/clip_tokenize.json"));
  ASSERT_EQ(oracle["cases"].size(), 100u);
  for (const json& one : oracle["cases"]) {
    const std::string text = one["text"];
    const Ids ids = one["ids"], padded = one["padded"], whole = one.value("untruncated", ids);
    const ClipEncoding encoding = tokenizer.encode(text);
    EXPECT_EQ(encoding.ids, padded) << text;
    EXPECT_EQ(encoding.tokens, ids.size()) << text;
    EXPECT_EQ(encoding.dropped_tokens, whole.size() - ids.size()) << text;
    EXPECT_EQ(encoding.dropped.empty(), whole.size() == ids.size()) << text;
    EXPECT_EQ(tokenizer.encode(text, whole.size()).ids, whole) << text;
  }
}

TEST(ClipTokenizer, GivesTheIdsOfTransformers) { expect_cases(clip()); }

TEST(ClipTokenizer, IsTheSameFromATokenizerJson) {
  const std::string tokenizer_json = as_tokenizer_json();
  expect_cases(ClipTokenizer(parse_tokenizer_data(tokenizer_json, "", "")));
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "tokenizer");
  folder.write("tokenizer/tokenizer.json", tokenizer_json);
  EXPECT_THAT(ClipTokenizer::open(folder.path()).encode("a cat", 5).ids, ElementsAre(49406, 320, 2368, 49407, 49407));
}

TEST(ClipTokenizer, OpensAPipelinesFolder) {
  const ClipTokenizer tokenizer = ClipTokenizer::open(pipeline);
  EXPECT_EQ(tokenizer.size(), 49408);
  EXPECT_EQ(tokenizer.start(), 49406);
  EXPECT_EQ(tokenizer.end(), 49407);
  EXPECT_EQ(tokenizer.padding(), 49407);
  EXPECT_EQ(tokenizer.encode("a photo of a cat").ids, clip().encode("a photo of a cat").ids);
}

TEST(ClipTokenizer, IsATokenizerToo) {
  const auto tokenizer = Tokenizer::create(load_tokenizer_data(pipeline));
  const Ids ids = tokenizer->encode("A  Cat's", {.add_special = true});
  EXPECT_THAT(ids, ElementsAre(49406, 320, 2368, 568, 49407));
  EXPECT_EQ(tokenizer->piece(2368), "cat ");
  EXPECT_EQ(tokenizer->decode(ids), "a cat 's ");
}

TEST(ClipTokenizer, SaysWhatItDropped) {
  const ClipEncoding encoding = clip().encode("A red circle, on a Blue background", 5);
  EXPECT_EQ(encoding.ids.size(), 5u);
  EXPECT_EQ(encoding.ids.back(), clip().end());
  EXPECT_EQ(encoding.tokens, 5u);
  EXPECT_EQ(encoding.dropped, ", on a blue background");
  EXPECT_EQ(encoding.dropped_tokens, 5u);
  // A cut within a character gives U+FFFD, not broken text.
  EXPECT_EQ(clip().encode("猫", 3).dropped, "\uFFFD\uFFFD");
}

TEST(ClipTokenizer, Decodes) {
  const Ids ids = clip().encode("A photo, of 2 CAFÉS").ids;
  EXPECT_EQ(clip().decode(ids), "a photo , of 2 cafés");
  EXPECT_EQ(clip().decode({}), "");
  EXPECT_THROW(clip().decode(Ids{49408}), InvalidInput);
  EXPECT_THROW(clip().decode(Ids{-1}), InvalidInput);
}

TEST(ClipTokenizer, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(clip().encode("a\xFF\xC3 cat").ids, clip().encode("a\uFFFD\uFFFD cat").ids);
  std::string nul = "a cat";
  nul[1] = '\0';
  EXPECT_EQ(clip().encode(nul).tokens, 5u);
}

TEST(ClipTokenizer, TakesOnlyLengthsThatMakeSense) {
  EXPECT_THAT(clip().encode("a cat", 2).ids, ElementsAre(49406, 49407));
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{65537}, SIZE_MAX}) {
    EXPECT_THAT(refusal_of([&] { clip().encode("a cat", length); }).message, HasSubstr("2 to 65536 are allowed"));
  }
}

TEST(ClipTokenizer, TakesLittleTimeForLongPrompts) {
  const auto repeat = [](std::string_view text) {
    std::string out;
    while (out.size() < 1'000'000) out += text;
    return out;
  };
  for (const std::string_view text :
       {"a", "cat ", "1", "!", " ", "<|endoftext|>", "\u0301\u0316" /* marks out of order */, "\xFF"}) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(clip().encode(repeat(text)).ids.size(), 77u);
    // About 0.5 s at worst on one slow core; anything quadratic takes minutes.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << text;
  }
}

// A vocabulary of a few tokens.
constexpr std::string_view small_vocab =
    R"({"a": 0, "b": 1, "a</w>": 2, "b</w>": 3, "ab</w>": 4, "<|startoftext|>": 5, "<|endoftext|>": 6})";
constexpr std::string_view small_merges = "#version: 0.2\na b</w>\n";

ClipTokenizer small(ClipTokenizerFiles files = {}) {
  if (files.vocab.empty()) files.vocab = small_vocab;
  if (files.merges.empty()) files.merges = small_merges;
  return ClipTokenizer(parse_clip_tokenizer_data(files));
}

TEST(ClipTokenizerFiles, AreReadFromText) {
  EXPECT_THAT(small().encode("ab BA", 6).ids, ElementsAre(5, 4, 1, 2, 6, 6));
  EXPECT_THAT(small({.merges = "a b</w>"}).encode("ab", 4).ids, ElementsAre(5, 4, 6, 6));
  EXPECT_THAT(small({.merges = "#version: 0.2\r\na b</w>\r\n\r\n"}).encode("ab", 4).ids, ElementsAre(5, 4, 6, 6));
}

TEST(ClipTokenizerFiles, HaveTheUnknownTokenForWhatTheyLack) {
  EXPECT_THAT(small().encode("axb", 6).ids, ElementsAre(5, 0, 6, 3, 6, 6));
  const std::string_view vocab = R"({"a</w>": 0, "<|startoftext|>": 1, "<|endoftext|>": 2, "?": 3})";
  const ClipTokenizer tokenizer =
      small({.vocab = vocab, .merges = "\n", .special_tokens_map = R"({"unk_token": {"content": "?"}})"});
  EXPECT_THAT(tokenizer.encode("a xy", 6).ids, ElementsAre(1, 0, 3, 3, 2, 2));
}

TEST(ClipTokenizerFiles, NameThePadding) {
  // Stable Diffusion 2 pads with "!", which still merges in its vocabulary.
  const std::string_view vocab = R"({"!": 0, "!</w>": 1, "!!</w>": 2, "<|startoftext|>": 3, "<|endoftext|>": 4})";
  const ClipTokenizer tokenizer = small({.vocab = vocab,
                                         .merges = "! !</w>",
                                         .special_tokens_map = R"({"pad_token": "!"})",
                                         .tokenizer_config = R"({"pad_token": "<|endoftext|>"})"});
  EXPECT_EQ(tokenizer.padding(), 0);
  EXPECT_THAT(tokenizer.encode("!!", 6).ids, ElementsAre(3, 0, 0, 4, 0, 0));
}

TEST(ClipTokenizerFiles, AddTokens) {
  const ClipTokenizer tokenizer = small(
      {.tokenizer_config = R"({"added_tokens_decoder": {"8": {"content": "<B>", "special": true, "lstrip": true}}})",
       .added_tokens = R"({"<Cat-Toy>": 7})"});
  EXPECT_EQ(tokenizer.size(), 9);
  EXPECT_THAT(tokenizer.encode("a<Cat-Toy> b  <B>b", 8).ids, ElementsAre(5, 2, 7, 3, 8, 3, 6, 6));
}

TEST(ClipTokenizerFiles, ThatAreWrongAreRefused) {
  const auto message = [](const ClipTokenizerFiles& files) { return refusal_of([&] { small(files); }).message; };
  EXPECT_THAT(message({.vocab = "{\"a\": 0"}), HasSubstr("The file vocab.json is no valid JSON"));
  EXPECT_THAT(message({.vocab = "\xFF"}), HasSubstr("no valid JSON"));
  EXPECT_THAT(message({.vocab = "[1, 2]"}), HasSubstr("vocab.json holds no JSON object"));
  EXPECT_THAT(message({.vocab = "{}"}), HasSubstr("none of its 0 tokens ends with '</w>'"));
  EXPECT_THAT(message({.vocab = R"({"a": 0, "b": 1})"}), HasSubstr("not of a CLIP tokenizer"));
  EXPECT_THAT(message({.vocab = R"({"a</w>": 0, "a</w>": 1})"}), HasSubstr("more than once"));
  EXPECT_THAT(message({.vocab = R"({"a</w>": 0, "b": 0})"}), HasSubstr("have the same id 0"));
  for (const char* id : {"2", "-1", "4294967296", "1e300", "\"0\"", "null", "[0]", "99999999999999999999999"}) {
    EXPECT_THAT(message({.vocab = R"({"a</w>": 0, "b": )" + std::string(id) + "}"}), HasSubstr("ids are 0 to 1")) << id;
  }
  EXPECT_THAT(message({.vocab = R"({"a</w>": 0, "<|endoftext|>": 1})", .merges = "\n"}),
              HasSubstr("no token '<|startoftext|>', which is the start of a text"));
  EXPECT_THAT(message({.vocab = R"({"a</w>": 0, "<|startoftext|>": 1})", .merges = "\n"}),
              HasSubstr("no token '<|endoftext|>'"));
  EXPECT_THAT(message({.special_tokens_map = R"({"pad_token": "<pad>"})"}), HasSubstr("no token '<pad>'"));
  EXPECT_THAT(message({.special_tokens_map = "nonsense"}), HasSubstr("special_tokens_map.json is no valid JSON"));
  EXPECT_THAT(message({.tokenizer_config = "7"}), HasSubstr("tokenizer_config.json holds no JSON object"));
  EXPECT_THAT(message({.merges = "a b</w>\na x</w>"}),
              AllOf(HasSubstr("merge 1"), HasSubstr("needs the token 'x</w>'")));
  EXPECT_THAT(message({.merges = "a a</w>"}), HasSubstr("needs the token 'aa</w>'"));
  for (const char* line : {"ab", "a b c", " a", "a ", " "}) {
    EXPECT_THAT(message({.merges = line}), HasSubstr("Line 1 of merges.txt")) << line;
  }
  EXPECT_THAT(message({.added_tokens = R"({"<x>": 9})"}), HasSubstr("ids are 0 to 7"));
  EXPECT_THAT(message({.added_tokens = R"({"<x>": 8, "<y>": 8})"}), HasSubstr("7 is the next that is free"));
  EXPECT_THAT(message({.added_tokens = R"({"<x>": 1})"}),
              HasSubstr("is the token 'b' in one file and '<x>' in another"));
  EXPECT_THAT(message({.added_tokens = R"({"": 7})"}), HasSubstr("with the id 7 has no text"));
  EXPECT_THAT(message({.tokenizer_config = R"({"added_tokens_decoder": {"x": {"content": "y"}}})"}),
              HasSubstr("tokenizer_config.json"));
  EXPECT_THAT(message({.tokenizer_config = R"({"added_tokens_decoder": {"7": 5}})"}),
              HasSubstr("with the id 7 has no text"));
  EXPECT_THAT(message({.vocab = std::string(100'000, '[')}), HasSubstr("nests more than 64 deep"));
}

TEST(ClipTokenizerFiles, ThatAreMissingAreNamed) {
  const TemporaryFolder folder;
  const auto message = [&] { return refusal_of([&] { ClipTokenizer::open(folder.path()); }).message; };
  EXPECT_THAT(message(), AllOf(HasSubstr("tokenizer.json"), HasSubstr("missing")));
  folder.write("vocab.json", small_vocab);
  EXPECT_THAT(message(), HasSubstr("missing"));
  EXPECT_THAT(refusal_of([&] { load_clip_tokenizer_data(folder.path()); }).message, HasSubstr("merges.txt"));
  folder.write("merges.txt", small_merges);
  EXPECT_EQ(message(), "");
  std::filesystem::create_directory(folder.path() / "tokenizer");
  EXPECT_EQ(message(), "");
  // A pipeline whose tokenizer is empty.
  std::filesystem::remove(folder.path() / "vocab.json");
  EXPECT_THAT(message(), HasSubstr("/tokenizer' has no tokenizer"));
}

TEST(ClipTokenizerFiles, OfAbsurdSizeAreNotRead) {
  const TemporaryFolder folder;
  folder.write("merges.txt", small_merges);
  std::filesystem::resize_file(folder.write("vocab.json", small_vocab), std::uintmax_t{1} << 40);
  const auto refusal = refusal_of([&] { ClipTokenizer::open(folder.path()); });
  EXPECT_THAT(refusal.message, HasSubstr("at most 67108864 are read"));
  EXPECT_LT(refusal.seconds, 1);
}

// The fuzzer's seed corpus: ok-* is read, bad-* is refused.
TEST(ClipTokenizerFiles, OfTheCorpus) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DRIFTWOOD_SOURCE_DIR "/tests/fuzz/corpus/clip")) {
    std::istringstream parts(read(entry.path()));
    std::string vocab, merges, config;
    std::getline(std::getline(std::getline(parts, vocab, '\0'), merges, '\0'), config, '\0');
    const auto refusal = refusal_of([&] { small({.vocab = vocab, .merges = merges, .tokenizer_config = config}); });
    EXPECT_EQ(refusal.message.empty(), entry.path().filename().string().starts_with("ok-")) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 10);
}

}  // namespace
}  // namespace driftwood
