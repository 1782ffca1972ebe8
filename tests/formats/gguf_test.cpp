// GGUF files as they should be: what is written is what is read.
#include "formats/gguf.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"
#include "formats/gguf_builder.h"
#include "formats/temporary_folder.h"

namespace driftwood::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<float> decode(const StoredTensor& tensor) {
  std::vector<float> values(tensor.size());
  decode_row(tensor.type, tensor.bytes, values);
  return values;
}

TEST(Gguf, ReadsMetadataOfEveryType) {
  const auto bytes = GgufBuilder()
                         .number<std::uint8_t>("u8", type_u8, 250)
                         .number<std::int8_t>("i8", type_i8, -5)
                         .number<std::uint16_t>("u16", type_u16, 65000)
                         .number<std::int16_t>("i16", type_i16, -300)
                         .u32("u32", 4000000000)
                         .number<std::int32_t>("i32", type_i32, -70000)
                         .number<std::uint64_t>("u64", type_u64, 1ULL << 63)
                         .number<std::int64_t>("i64", type_i64, -(1LL << 40))
                         .f32("f32", 0.5f)
                         .number<double>("f64", type_f64, 0.1)
                         .boolean("yes", true)
                         .boolean("no", false)
                         .string("text", "driftwood")
                         .string("empty", "")
                         .build();
  const GgufFile file = GgufFile::parse(bytes);
  const GgufMetadata& metadata = file.metadata();

  EXPECT_EQ(file.version(), 3);
  EXPECT_EQ(metadata.entries().size(), 14);
  EXPECT_EQ(metadata.get_u32("u8"), 250);
  EXPECT_EQ(metadata.get_i64("i8"), -5);
  EXPECT_EQ(metadata.get_u32("u16"), 65000);
  EXPECT_EQ(metadata.get_i64("i16"), -300);
  EXPECT_EQ(metadata.get_u32("u32"), 4000000000);
  EXPECT_EQ(metadata.get_i64("i32"), -70000);
  EXPECT_EQ(metadata.get_u64("u64"), 1ULL << 63);
  EXPECT_EQ(metadata.get_i64("i64"), -(1LL << 40));
  EXPECT_EQ(metadata.get_f32("f32"), 0.5f);
  EXPECT_EQ(metadata.get_f32("f64"), 0.1f);
  EXPECT_TRUE(metadata.get_bool("yes"));
  EXPECT_FALSE(metadata.get_bool("no"));
  EXPECT_EQ(metadata.get_string("text"), "driftwood");
  EXPECT_EQ(metadata.get_string("empty"), "");
  EXPECT_EQ(metadata.find_string("absent"), std::nullopt);
  EXPECT_FALSE(metadata.has("absent"));
}

TEST(Gguf, ReadsArraysOfEveryKind) {
  Bytes nested;
  nested.u32(type_array).u32(type_array).u64(2);
  nested.u32(type_u32).u64(2).u32(7).u32(8);
  nested.u32(type_string).u64(1).string("deep");
  const auto bytes = GgufBuilder()
                         .strings("tokens", {"a", "", "\xC4\xA0hello"})
                         .numbers<std::int32_t>("types", type_i32, {1, -2, 3})
                         .numbers<std::uint8_t>("bytes", type_u8, {255})
                         .numbers<float>("scores", type_f32, {-1.5f, 2})
                         .numbers<double>("doubles", type_f64, {0.1})
                         .numbers<std::uint32_t>("none", type_u32, {})
                         .raw("nested", nested)
                         .build();
  const GgufFile file = GgufFile::parse(bytes);
  const GgufMetadata& metadata = file.metadata();

  EXPECT_THAT(metadata.get_strings("tokens"), ElementsAre("a", "", "\xC4\xA0hello"));
  EXPECT_THAT(metadata.get_integers("types"), ElementsAre(1, -2, 3));
  EXPECT_THAT(metadata.get_integers("bytes"), ElementsAre(255));
  EXPECT_THAT(metadata.get_floats("scores"), ElementsAre(-1.5f, 2));
  EXPECT_THAT(metadata.get_floats("doubles"), ElementsAre(0.1f));
  EXPECT_THAT(metadata.get_integers("none"), IsEmpty());
  const auto inner = std::get<GgufArray>(*metadata.find("nested")).arrays();
  ASSERT_EQ(inner.size(), 2);
  EXPECT_THAT(inner[0].integers(), ElementsAre(7, 8));
  EXPECT_THAT(inner[1].strings(), ElementsAre("deep"));
  EXPECT_EQ(describe(*metadata.find("nested")), "2 x array [2 x u32 [7, 8], 1 x string ['deep']]");
  EXPECT_EQ(describe(*metadata.find("types"), 2), "3 x i32 [1, -2, ...]");
}

TEST(Gguf, WrongTypesAndMissingKeysAreNamed) {
  const auto bytes = GgufBuilder()
                         .string("text", "x")
                         .number<std::int32_t>("negative", type_i32, -1)
                         .f32("real", 1)
                         .numbers<float>("floats", type_f32, {1})
                         .numbers<std::uint64_t>("huge", type_u64, {~0ULL})
                         .u32("layers", 5000)
                         .build();
  const GgufFile file = GgufFile::parse(bytes);
  const GgufMetadata& metadata = file.metadata();

  EXPECT_EQ(error_of([&] { metadata.get_u32("gone"); }), "The metadata key 'gone' is missing.");
  EXPECT_EQ(error_of([&] { metadata.get_u32("text"); }),
            "The metadata key 'text' has the type string, but u32 is expected.");
  EXPECT_EQ(error_of([&] { metadata.find_u32("real"); }),
            "The metadata key 'real' has the type f32, but u32 is expected.");
  EXPECT_EQ(error_of([&] { metadata.get_u32("negative"); }),
            "The metadata key 'negative' is -1, but must be between 0 and 4294967295.");
  EXPECT_EQ(error_of([&] { metadata.get_string("floats"); }),
            "The metadata key 'floats' has the type array of f32, but string is expected.");
  EXPECT_EQ(error_of([&] { metadata.get_strings("floats"); }),
            "The metadata key 'floats' must be an array of strings. The elements of an array are f32, but strings are "
            "expected.");
  EXPECT_THAT(error_of([&] { metadata.get_integers("huge"); }), HasSubstr("'huge'"));
  EXPECT_THAT(error_of([&] { metadata.get_floats("text"); }), HasSubstr("'text' has the type string"));
  EXPECT_EQ(error_of([&] { metadata.get_u32_within("layers", 1, 1024); }),
            "The metadata key 'layers' is 5000, but must be between 1 and 1024.");
}

TEST(Gguf, ReadsTensorsOfPlainAndBlockTypes) {
  std::vector<std::byte> q8(2 * 34);
  q8[1] = std::byte{0x3C};   // scale 1.0 of the first block
  q8[2] = std::byte{0xFE};   // first quant -2
  q8[35] = std::byte{0x40};  // scale 2.0 of the second
  q8[36] = std::byte{3};
  const auto bytes = GgufBuilder()
                         .f32_tensor("norm", {3}, {1, 2, 3})
                         .tensor("weight", 8, {32, 2}, q8)
                         .f32_tensor("scalar", {}, {7})
                         .f32_tensor("cube", {2, 1, 2, 1}, {1, 2, 3, 4})
                         .build();
  const GgufFile file = GgufFile::parse(bytes);
  const TensorTable& tensors = file.tensors();

  ASSERT_EQ(tensors.all().size(), 4);
  EXPECT_EQ(tensors.all()[1].name, "weight");
  EXPECT_THAT(decode(tensors.get("norm", {3})), ElementsAre(1, 2, 3));
  EXPECT_THAT(decode(tensors.get("scalar", {})), ElementsAre(7));
  EXPECT_THAT(decode(tensors.get("cube", {2, 1, 2, 1})), ElementsAre(1, 2, 3, 4));
  const StoredTensor& weight = tensors.get("weight", {32, 2});
  EXPECT_EQ(weight.type, DataType::Q8_0);
  EXPECT_THAT(weight.shape(), ElementsAre(2, 32));
  EXPECT_EQ(decode(weight)[0], -2);
  EXPECT_EQ(decode(weight)[32], 6);
  EXPECT_EQ(tensors.total_bytes(), 12 + 68 + 4 + 16);
  EXPECT_EQ(tensors.total_values(), 3 + 64 + 1 + 4);
  EXPECT_EQ(tensors.find("absent"), nullptr);
  EXPECT_EQ(error_of([&] { tensors.get("absent"); }), "The tensor 'absent' is missing.");
  EXPECT_EQ(error_of([&] {
              tensors.get("weight", {2, 32});
            }),
            "The tensor 'weight' has the extents [32, 2], but [2, 32] are expected.");
}

TEST(Gguf, ReadsVersion2AndOtherAlignments) {
  GgufBuilder builder;
  builder.version = 2;
  builder.alignment = 64;
  builder.u32("general.alignment", 64).f32_tensor("a", {1}, {1}).f32_tensor("b", {1}, {2});
  const auto bytes = builder.build();
  const GgufFile file = GgufFile::parse(bytes);
  EXPECT_EQ(file.version(), 2);
  EXPECT_THAT(decode(file.tensors().get("b")), ElementsAre(2));
}

TEST(Gguf, MapsAFileAndReleasesItsPages) {
  const TemporaryFolder folder;
  const auto path =
      folder.write("model.gguf", GgufBuilder().f32_tensor("a", {4096}, std::vector<float>(4096, 3)).build());
  const GgufFile file = GgufFile::open(path);
  ASSERT_EQ(file.files().size(), 1);
  const StoredTensor& tensor = file.tensors().get("a");
  file.release(tensor);
  EXPECT_EQ(decode(tensor)[4095], 3);
}

TEST(Gguf, ManyTokensAreCheapToOpen) {
  std::vector<std::string> tokens;
  for (int i = 0; i < 200000; ++i) tokens.push_back("token" + std::to_string(i));
  const auto bytes = GgufBuilder().strings("tokenizer.ggml.tokens", tokens).build();
  const GgufFile file = GgufFile::parse(bytes);
  const auto read = file.metadata().get_strings("tokenizer.ggml.tokens");
  ASSERT_EQ(read.size(), tokens.size());
  EXPECT_EQ(read.back(), "token199999");
  // Strings are views of the file's bytes.
  EXPECT_GE(static_cast<const void*>(read[0].data()), static_cast<const void*>(bytes.data()));
  EXPECT_LT(static_cast<const void*>(read[0].data()), static_cast<const void*>(bytes.data() + bytes.size()));
}

}  // namespace
}  // namespace driftwood::testing
