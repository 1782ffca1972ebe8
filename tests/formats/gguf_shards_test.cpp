// Split GGUF files: found by name, checked against one another.
#include <gmock/gmock.h>

#include "base/error.h"
#include "formats/gguf.h"
#include "formats/gguf_builder.h"
#include "formats/shard_name.h"
#include "formats/temporary_folder.h"

namespace driftwood::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

GgufBuilder shard(std::uint16_t number, std::uint16_t count, std::int32_t tensors) {
  GgufBuilder builder;
  builder.number<std::uint16_t>("split.no", type_u16, number)
      .number<std::uint16_t>("split.count", type_u16, count)
      .number<std::int32_t>("split.tensors.count", type_i32, tensors);
  return builder;
}

class GgufShards : public ::testing::Test {
 protected:
  // Three shards with one tensor each.
  GgufShards() {
    write(0, shard(0, 3, 3).string("general.architecture", "llama").f32_tensor("a", {1}, {1}));
    write(1, shard(1, 3, 3).f32_tensor("b", {1}, {2}));
    write(2, shard(2, 3, 3).f32_tensor("c", {1}, {3}));
  }
  void write(std::uint32_t number, const GgufBuilder& builder) const { folder.write(name(number), builder.build()); }
  static std::string name(std::uint32_t number) { return to_string(ShardName{"model", number + 1, 3, ".gguf"}); }
  std::string open_error(std::uint32_t number = 0) const {
    try {
      GgufFile::open(folder.path() / name(number));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  TemporaryFolder folder;
};

TEST_F(GgufShards, AreReadTogether) {
  const GgufFile file = GgufFile::open(folder.path() / name(0));
  EXPECT_EQ(file.files().size(), 3);
  EXPECT_EQ(file.metadata().get_string("general.architecture"), "llama");
  ASSERT_EQ(file.tensors().all().size(), 3);
  float value = 0;
  decode_row(DataType::F32, file.tensors().get("c").bytes, {&value, 1});
  EXPECT_EQ(value, 3);
  file.release(file.tensors().get("c"));
}

TEST_F(GgufShards, AnotherThanTheFirstNamesTheFirst) {
  EXPECT_THAT(open_error(1), AllOf(HasSubstr("shard 2 of 3"), HasSubstr("'split.no'"),
                                   HasSubstr("open the first shard, 'model-00001-of-00003.gguf'")));
}

TEST_F(GgufShards, AMissingOneIsNamed) {
  std::filesystem::remove(folder.path() / name(2));
  EXPECT_THAT(open_error(), HasSubstr("model-00003-of-00003.gguf' cannot be opened"));
}

TEST_F(GgufShards, AnEmptyOneIsNamed) {
  folder.write(name(1), std::string_view());
  EXPECT_THAT(open_error(), AllOf(HasSubstr("The file is empty."), HasSubstr("model-00002-of-00003.gguf")));
}

TEST_F(GgufShards, ATruncatedOneIsNamed) {
  const auto bytes = shard(1, 3, 3).f32_tensor("b", {1}, {2}).build();
  folder.write(name(1), std::span(bytes).first(bytes.size() - 1));
  EXPECT_THAT(open_error(), AllOf(HasSubstr("tensor 'b'"), HasSubstr("model-00002-of-00003.gguf")));
}

TEST_F(GgufShards, ForeignOnesAreRefused) {
  write(1, shard(1, 4, 3).f32_tensor("b", {1}, {2}));
  EXPECT_THAT(open_error(), HasSubstr("another model: its metadata key 'split.count' is 4"));
  write(1, shard(1, 3, 9).f32_tensor("b", {1}, {2}));
  EXPECT_THAT(open_error(), HasSubstr("another model: its metadata key 'split.tensors.count' is 9"));
  write(1, shard(2, 3, 3).f32_tensor("b", {1}, {2}));
  EXPECT_THAT(open_error(), HasSubstr("'split.no' of the shard is 2"));
  write(1, shard(1, 3, 3).string("general.architecture", "gemma").f32_tensor("b", {1}, {2}));
  EXPECT_THAT(open_error(), HasSubstr("'general.architecture' is 'gemma'"));
  write(1, GgufBuilder().f32_tensor("b", {1}, {2}));
  EXPECT_THAT(open_error(), HasSubstr("'split.count' is missing"));
}

TEST_F(GgufShards, TensorsAreCountedAndNamesAreUniqueAcrossAll) {
  write(1, shard(1, 3, 3));
  EXPECT_THAT(open_error(), HasSubstr("hold 2 tensors together, but the metadata key 'split.tensors.count' is 3"));
  write(1, shard(1, 3, 3).f32_tensor("a", {1}, {2}));
  EXPECT_THAT(open_error(), HasSubstr("The tensor 'a' occurs more than once."));
}

TEST_F(GgufShards, TheFirstMustBeNamedAsOne) {
  const auto path = folder.write("renamed.gguf", shard(0, 3, 3).build());
  try {
    GgufFile::open(path);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("must end in '-00001-of-00003.gguf'"));
  }
}

TEST_F(GgufShards, AnAbsurdCountIsRefused) {
  write(0, shard(0, 65535, 3));
  EXPECT_THAT(open_error(), HasSubstr("'split.count' is 65535; at most 4096"));
}

TEST(ShardName, ParsesAndPrints) {
  const auto name = parse_shard_name("a-b-00002-of-00010.gguf");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->prefix, "a-b");
  EXPECT_EQ(name->number, 2);
  EXPECT_EQ(name->count, 10);
  EXPECT_EQ(to_string(*name), "a-b-00002-of-00010.gguf");
  for (const char* other : {"", ".gguf", "a.gguf", "a-0002-of-00010.gguf", "a-0000x-of-00010.gguf",
                            "a00002-of-00010.gguf", "a-00002_of_00010.gguf", "a-00002-of-00010"}) {
    EXPECT_FALSE(parse_shard_name(other)) << other;
  }
}

}  // namespace
}  // namespace driftwood::testing
