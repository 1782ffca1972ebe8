// Files that are right GGUF but no right model: what is missing or misshapen is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "base/error.h"
#include "formats/gguf_builder.h"
#include "formats/temporary_folder.h"
#include "models/language_graph.h"

namespace driftwood {
namespace {

using testing::GgufBuilder;

/// A whole small Llama; single parts can be left out or replaced.
struct ModelParts {
  std::set<std::string> without = {};
  std::map<std::string, std::function<void(GgufBuilder&, const std::string&)>> replaced = {}, added = {};
};

std::vector<std::byte> model(const ModelParts& parts) {
  GgufBuilder file;
  const auto put = [&](const std::string& name, const std::function<void(GgufBuilder&, const std::string&)>& usual) {
    if (parts.without.contains(name)) return;
    const auto replacement = parts.replaced.find(name);
    (replacement == parts.replaced.end() ? usual : replacement->second)(file, name);
  };
  const auto u32 = [](std::uint32_t value) {
    return [value](GgufBuilder& b, const std::string& key) { b.u32(key, value); };
  };
  put("general.architecture", [](GgufBuilder& b, const std::string& key) { b.string(key, "llama"); });
  put("llama.block_count", u32(1));
  put("llama.embedding_length", u32(8));
  put("llama.feed_forward_length", u32(12));
  put("llama.attention.head_count", u32(2));
  put("llama.attention.head_count_kv", u32(1));
  put("llama.attention.layer_norm_rms_epsilon", [](GgufBuilder& b, const std::string& key) { b.f32(key, 1e-5F); });
  put("llama.vocab_size", u32(16));
  const auto matrix = [](std::uint64_t columns, std::uint64_t rows) {
    return [=](GgufBuilder& b, const std::string& name) {
      b.f32_tensor(name, {columns, rows}, std::vector<float>(columns * rows, 0.5F));
    };
  };
  const auto vector = [](std::uint64_t n) {
    return [=](GgufBuilder& b, const std::string& name) { b.f32_tensor(name, {n}, std::vector<float>(n, 1.0F)); };
  };
  put("token_embd.weight", matrix(8, 16));
  put("output_norm.weight", vector(8));
  put("blk.0.attn_norm.weight", vector(8));
  put("blk.0.attn_q.weight", matrix(8, 8));
  put("blk.0.attn_k.weight", matrix(8, 4));
  put("blk.0.attn_v.weight", matrix(8, 4));
  put("blk.0.attn_output.weight", matrix(8, 8));
  put("blk.0.ffn_norm.weight", vector(8));
  put("blk.0.ffn_gate.weight", matrix(8, 12));
  put("blk.0.ffn_up.weight", matrix(8, 12));
  put("blk.0.ffn_down.weight", matrix(12, 8));
  for (const auto& [name, replacement] : parts.added) replacement(file, name);
  return file.build();
}

std::string error_of(const ModelParts& parts) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("model.gguf", model(parts));
  try {
    const auto checkpoint = models::Checkpoint::open(path);
    models::language_graph(checkpoint, {.max_tokens = 4, .cache_size = 8});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(HostileModel, TheWholeOneIsRight) { EXPECT_EQ(error_of({}), "no error"); }

TEST(HostileModel, EveryMissingKeyIsNamed) {
  for (const std::string key :
       {"general.architecture", "llama.block_count", "llama.embedding_length", "llama.feed_forward_length",
        "llama.attention.head_count", "llama.attention.layer_norm_rms_epsilon", "llama.vocab_size"})
    EXPECT_THAT(error_of({.without = {key}}), ::testing::HasSubstr("'" + key + "'"));
}

TEST(HostileModel, EveryMissingTensorIsNamed) {
  for (const std::string name :
       {"token_embd.weight", "output_norm.weight", "blk.0.attn_norm.weight", "blk.0.attn_q.weight",
        "blk.0.attn_k.weight", "blk.0.attn_v.weight", "blk.0.attn_output.weight", "blk.0.ffn_norm.weight",
        "blk.0.ffn_gate.weight", "blk.0.ffn_up.weight", "blk.0.ffn_down.weight"})
    EXPECT_THAT(error_of({.without = {name}}), ::testing::HasSubstr("'" + name + "'"));
}

TEST(HostileModel, AWrongShapeIsNamedWithBoth) {
  const ModelParts parts{.replaced = {{"blk.0.attn_q.weight", [](GgufBuilder& b, const std::string& name) {
                                         b.f32_tensor(name, {8, 7}, std::vector<float>(56, 0.5F));
                                       }}}};
  const std::string error = error_of(parts);
  EXPECT_THAT(error, ::testing::HasSubstr("'blk.0.attn_q.weight'"));
  EXPECT_THAT(error, ::testing::HasSubstr("[8, 7]"));
  EXPECT_THAT(error, ::testing::HasSubstr("[8, 8]"));
}

TEST(HostileModel, AbsurdNumbersAreRefusedWithTheirKey) {
  const auto replaced = [](const std::string& key, std::uint32_t value) {
    return ModelParts{.replaced = {{key, [value](GgufBuilder& b, const std::string& k) { b.u32(k, value); }}}};
  };
  for (const std::string key : {"llama.block_count", "llama.embedding_length", "llama.feed_forward_length",
                                "llama.attention.head_count", "llama.attention.head_count_kv"})
    for (const std::uint32_t value : {0u, 0xFFFFFFFFu})
      EXPECT_THAT(error_of(replaced(key, value)), ::testing::HasSubstr("'" + key + "'")) << value;
  EXPECT_THAT(error_of(replaced("llama.vocab_size", 0xFFFFFFFFu)), ::testing::HasSubstr("4294967295"));
  EXPECT_THAT(error_of(replaced("llama.attention.head_count_kv", 3)), ::testing::HasSubstr("2 attention heads"));
}

TEST(HostileModel, ATensorThatTheFamilyDoesNotHaveIsNotIgnored) {
  const ModelParts parts{.added = {{"blk.0.attn_q_norm.weight", [](GgufBuilder& b, const std::string& name) {
                                      b.f32_tensor(name, {4}, std::vector<float>(4, 1.0F));
                                    }}}};
  EXPECT_THAT(error_of(parts), ::testing::HasSubstr("'blk.0.attn_q_norm.weight' has no place in a model of 1 layers"));
}

TEST(HostileModel, AnotherArchitectureIsNamed) {
  const ModelParts parts{
      .replaced = {{"general.architecture", [](GgufBuilder& b, const std::string& key) { b.string(key, "mamba"); }}}};
  EXPECT_THAT(error_of(parts),
              ::testing::HasSubstr("'mamba' is not supported; supported are 'llama', 'qwen2', 'qwen3', "
                                   "'phi3', 'gemma', 'gemma2', 'gemma3'"));
}

TEST(HostileModel, ATensorTypeThatNoKernelReadsIsNamed) {
  const ModelParts parts{.replaced = {{"blk.0.attn_q.weight", [](GgufBuilder& b, const std::string& name) {
                                         b.tensor(name, 28, {8, 8}, std::vector<std::byte>(8 * 8 * 8));  // f64
                                       }}}};
  EXPECT_THAT(error_of(parts), ::testing::HasSubstr("'blk.0.attn_q.weight'"));
}

}  // namespace
}  // namespace driftwood
