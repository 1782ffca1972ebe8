#include "models/quantization.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "formats/refusal.h"
#include "formats/temporary_folder.h"
#include "models/checkpoint.h"
#include "models/quantization_source.h"

namespace driftwood::models {
namespace {

using driftwood::testing::refusal_of;
using driftwood::testing::TemporaryFolder;
using ::testing::HasSubstr;

StoredTensor tensor(DataType type, std::vector<std::uint64_t> dims) {
  return {.name = "t", .type = type, .dims = std::move(dims), .bytes = {}};
}

DataType chosen(std::string_view scheme, std::string_view name, std::vector<std::uint64_t> dims = {256, 64}) {
  return chosen_type(*find_scheme(scheme), name, tensor(DataType::F16, std::move(dims)));
}

TEST(QuantizationScheme, PartsOfAModelGetTheirTypes) {
  for (const char* name : {"token_embd.weight", "output.weight", "blk.3.ffn_up.weight", "blk.0.ffn_down.weight"}) {
    EXPECT_EQ(chosen("844", name), DataType::I4C) << name;
    EXPECT_EQ(chosen("q8", name), DataType::I8C) << name;
    EXPECT_EQ(chosen("q4_0", name), DataType::Q4_0) << name;
  }
  for (const char* name : {"blk.0.attn_q.weight", "blk.11.attn_qkv.weight", "blk.2.attn_output.weight"}) {
    EXPECT_EQ(chosen("844", name), DataType::I8C) << name;
  }
  EXPECT_EQ(chosen("q8", "blk.0.attn_norm.weight", {256}), DataType::F32);
  EXPECT_EQ(chosen("q8", "blk.0.attn_q.bias", {256}), DataType::F32);
  EXPECT_EQ(chosen("q8", "blk.0.ffn_gate_inp.weight"), DataType::F32);
}

TEST(QuantizationScheme, RowsThatATypeDoesNotTakeGetAFinerOne) {
  const std::string name = "blk.0.ffn_down.weight";
  EXPECT_EQ(chosen("q4_k", name, {256, 4}), DataType::Q4_K);
  EXPECT_EQ(chosen("q4_k", name, {96, 4}), DataType::Q5_0);
  EXPECT_EQ(chosen("q5_k", name, {96, 4}), DataType::Q5_1);
  EXPECT_EQ(chosen("q6_k", name, {96, 4}), DataType::Q8_0);
  EXPECT_EQ(chosen("q6_k", name, {97, 4}), DataType::F16);
  EXPECT_EQ(chosen("q4_0", name, {97, 4}), DataType::F16);
  EXPECT_EQ(chosen("844", name, {97, 4}), DataType::I4C);
  EXPECT_TRUE(falls_back(*find_scheme("q4_0"), name, tensor(DataType::F32, {97, 4})));
  EXPECT_FALSE(falls_back(*find_scheme("844"), name, tensor(DataType::F32, {97, 4})));
  EXPECT_THAT(refusal_of([&] {
                chosen_type(*find_scheme("q8"), name, tensor(DataType::I32, {4, 4}));
              }).message,
              HasSubstr("of type i32, which holds no real numbers"));
}

TEST(QuantizationScheme, NamesAndReaders) {
  EXPECT_EQ(find_scheme("q3"), nullptr);
  EXPECT_THAT(scheme_names(), HasSubstr("q8, 844, q4_0"));
  for (const Scheme& scheme : schemes()) {
    EXPECT_EQ(scheme.is_public(), scheme.name != "q8" && scheme.name != "844") << scheme.name;
    EXPECT_EQ(scheme.file_type.has_value(), scheme.is_public()) << scheme.name;
  }
}

// Two tensors in memory, as a source.
struct Model {
  std::vector<float> matrix, vector;
  StoredTensor stored_matrix, stored_vector;
  QuantizationSource source;

  Model(std::uint64_t columns, std::uint64_t rows) : matrix(columns * rows), vector(5, 1.5F) {
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = std::sin(0.7F * static_cast<float>(i));
    stored_matrix = {.name = "m",
                     .type = DataType::F32,
                     .dims = {columns, rows},
                     .bytes = std::as_bytes(std::span<const float>(matrix))};
    stored_vector = {
        .name = "v", .type = DataType::F32, .dims = {5}, .bytes = std::as_bytes(std::span<const float>(vector))};
    source.tensors = {{.name = "output_norm.weight", .stored = &stored_vector, .offset = 1},
                      {.name = "blk.0.attn_q.weight", .stored = &stored_matrix}};
    source.add_metadata = [](GgufWriter& writer) { writer.add("general.name", std::string_view("tiny")); };
    source.release = [](const StoredTensor&) {};
  }
};

std::vector<float> decoded(const StoredTensor& tensor) {
  std::vector<float> values(tensor.size());
  decode_rows(tensor.type, tensor.dims[0], tensor.bytes, values);
  return values;
}

// The same bytes from any number of threads and pieces; more rows than a piece has.
TEST(QuantizationFile, PiecesAndThreadsChangeNothing) {
  const TemporaryFolder folder;
  Model model(33, 40000);
  std::uint64_t last = 0;
  const auto path = folder.path() / "one.gguf";
  const QuantizationReport report = quantize(model.source, path, *find_scheme("q8"),
                                             {.threads = 3, .progress = [&](std::uint64_t done, std::uint64_t all) {
                                                EXPECT_GT(done, last);
                                                EXPECT_EQ(all, 33u * 40000 + 5);
                                                last = done;
                                              }});
  EXPECT_EQ(last, 33u * 40000 + 5);
  EXPECT_EQ(report.file_bytes, std::filesystem::file_size(path));
  EXPECT_EQ(report.after.at(DataType::I8C).bytes, 40000u * 68);
  EXPECT_EQ(report.after.at(DataType::F32).values, 5u);
  EXPECT_EQ(report.requantized, 0u);
  const auto single = folder.path() / "single.gguf";
  quantize(model.source, single, *find_scheme("q8"));
  const GgufFile file = GgufFile::open(path), other = GgufFile::open(single);
  const StoredTensor& matrix = file.tensors().get("blk.0.attn_q.weight", {33, 40000});
  EXPECT_TRUE(std::ranges::equal(matrix.bytes, other.tensors().get("blk.0.attn_q.weight").bytes));
  const std::vector<float> values = decoded(matrix);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], model.matrix[i], 1.001F / 254);
  EXPECT_EQ(decoded(file.tensors().get("output_norm.weight", {5})), std::vector<float>(5, 2.5F));
  EXPECT_EQ(file.metadata().get_string("general.name"), "tiny");
  EXPECT_EQ(file.metadata().get_string("driftwood.scheme"), "q8");
}

TEST(QuantizationFile, RowsOfHeadsAreReordered) {
  const TemporaryFolder folder;
  Model model(2, 12);
  model.source.tensors[1].adjacent_heads = 2;
  model.source.tensors[0] = {.name = "blk.0.attn_q.bias", .stored = &model.stored_vector, .adjacent_heads = 1};
  model.vector = {0, 1, 2, 3, 4, 5};
  model.stored_vector.dims = {6};
  model.stored_vector.bytes = std::as_bytes(std::span<const float>(model.vector));
  const auto path = folder.path() / "heads.gguf";
  quantize(model.source, path, *find_scheme("f32"));
  const GgufFile file = GgufFile::open(path);
  const std::vector<float> values = decoded(file.tensors().get("blk.0.attn_q.weight", {2, 12}));
  const std::size_t order[] = {0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11};
  for (std::size_t row = 0; row < 12; ++row) {
    EXPECT_EQ(values[2 * row], model.matrix[2 * order[row]]);
    EXPECT_EQ(values[2 * row + 1], model.matrix[2 * order[row] + 1]);
  }
  EXPECT_EQ(decoded(file.tensors().get("blk.0.attn_q.bias", {6})), (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(QuantizationFile, ABadNumberNamesTensorAndRowAndLeavesNoFile) {
  const TemporaryFolder folder;
  Model model(32, 100);
  model.matrix[32 * 70 + 4] = std::numeric_limits<float>::quiet_NaN();
  const auto path = folder.path() / "bad.gguf";
  try {
    quantize(model.source, path, *find_scheme("q4_0"), {.threads = 2});
    FAIL() << "no error";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.message(), HasSubstr("Value 4 of a row is nan"));
    ASSERT_FALSE(error.context().empty());
    EXPECT_THAT(error.context()[0], HasSubstr("row 70 of the tensor 'blk.0.attn_q.weight'"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// Every family's folder becomes a GGUF file that is read back as the same configuration.
class QuantizationFolder : public ::testing::TestWithParam<const char*> {};

TEST_P(QuantizationFolder, ConfigurationComesBack) {
  const TemporaryFolder files;
  const Checkpoint folder = Checkpoint::open(std::string(DRIFTWOOD_TEST_DATA "/llm/") + GetParam());
  const auto path = files.path() / "model.gguf";
  quantize(quantization_source(folder), path, *find_scheme("f32"));
  const Checkpoint file = Checkpoint::open(path);
  const LanguageConfig &wanted = folder.config(), &read = file.config();
  EXPECT_EQ(read.layers, wanted.layers);
  EXPECT_EQ(read.hidden, wanted.hidden);
  EXPECT_EQ(read.intermediate, wanted.intermediate);
  EXPECT_EQ(read.heads, wanted.heads);
  EXPECT_EQ(read.kv_heads, wanted.kv_heads);
  EXPECT_EQ(read.head_size, wanted.head_size);
  EXPECT_EQ(read.vocabulary, wanted.vocabulary);
  EXPECT_EQ(read.trained_context, wanted.trained_context);
  EXPECT_EQ(read.epsilon, wanted.epsilon);
  EXPECT_EQ(read.rotary, wanted.rotary);
  EXPECT_EQ(read.window, wanted.windowed.empty() ? 0 : wanted.window);
  EXPECT_EQ(read.windowed, wanted.windowed);
  EXPECT_EQ(read.head_norms, wanted.head_norms);
  EXPECT_EQ(read.post_norms, wanted.post_norms);
  EXPECT_EQ(read.activation, wanted.activation);
  EXPECT_FLOAT_EQ(read.attention_softcap, wanted.attention_softcap);
  EXPECT_FLOAT_EQ(read.logit_softcap, wanted.logit_softcap);
  EXPECT_FLOAT_EQ(read.embedding_scale, wanted.embedding_scale);
  for (std::uint32_t layer = 0; layer < wanted.layers; ++layer) {
    for (const std::uint32_t context : {16U, wanted.trained_context}) {
      const auto a = rope_frequencies(read.rope_of(layer), read.rotary, context);
      const auto b = rope_frequencies(wanted.rope_of(layer), wanted.rotary, context);
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-6F * b[i]) << "layer " << layer;
    }
    EXPECT_NEAR(read.rope_of(layer).magnitude, wanted.rope_of(layer).magnitude, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(All, QuantizationFolder,
                         ::testing::Values("llama-mha", "llama-gqa-tied", "llama3-rope", "odd-sizes", "mistral-swa",
                                           "qwen2-bias", "qwen3-qknorm", "phi3-fusedqkv", "gemma-mqa", "gemma2-softcap",
                                           "gemma3-local"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace driftwood::models
