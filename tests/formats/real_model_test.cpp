// The demo model, where `make model` has fetched it.
#include <gmock/gmock.h>

#include <filesystem>

#include "formats/gguf.h"
#include "formats/refusal.h"

namespace driftwood::testing {
namespace {

TEST(RealModel, OpensAtOnce) {
  const std::filesystem::path path = DRIFTWOOD_SOURCE_DIR "/models/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there; `make model` fetches it.";
  const Refusal cost = refusal_of([&] { GgufFile::open(path); });
  EXPECT_EQ(cost.message, "");
  EXPECT_LT(cost.seconds, 0.1);

  const GgufFile file = GgufFile::open(path);
  EXPECT_EQ(file.metadata().get_string("general.architecture"), "llama");
  EXPECT_EQ(file.metadata().get_u32("llama.block_count"), 30);
  EXPECT_EQ(file.metadata().get_strings("tokenizer.ggml.tokens").size(), 49152);
  EXPECT_EQ(file.metadata().get_strings("tokenizer.ggml.merges").size(), 48900);
  EXPECT_EQ(file.tensors().all().size(), 272);
  EXPECT_EQ(file.tensors().total_values(), 134515008);

  // The first values of two tensors as the gguf package for Python decodes them.
  const auto first_row = [&](const char* name) {
    const StoredTensor& tensor = file.tensors().get(name);
    std::vector<float> row(576);
    decode_row(tensor.type, tensor.bytes.first(tensor.bytes.size() / tensor.dims[1]), row);
    return std::vector<float>{row[0], row[1], row[575]};
  };
  EXPECT_THAT(first_row("token_embd.weight"), ::testing::ElementsAre(-0.106544495f, 0.032978058f, 0.029754639f));
  EXPECT_THAT(first_row("blk.0.attn_q.weight"), ::testing::ElementsAre(-0.09631348f, 0.15734863f, 0.123535156f));
}

}  // namespace
}  // namespace driftwood::testing
