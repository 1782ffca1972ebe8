#include "formats/gguf_writer.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "base/error.h"
#include "formats/gguf.h"
#include "formats/gguf_builder.h"
#include "formats/refusal.h"
#include "formats/temporary_folder.h"

namespace driftwood {
namespace {

using ::testing::HasSubstr;
using testing::refusal_of, testing::TemporaryFolder;
namespace fs = std::filesystem;

std::vector<std::byte> bytes_of(std::initializer_list<float> numbers) {
  const auto bytes = std::as_bytes(std::span(numbers.begin(), numbers.size()));
  return {bytes.begin(), bytes.end()};
}

std::vector<fs::path> files_in(const fs::path& folder) {
  return {fs::directory_iterator(folder), fs::directory_iterator()};
}

TEST(GgufWriter, EveryKindOfValueComesBack) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "all.gguf";
  GgufWriter writer(path);
  writer.add("a.u8", std::uint8_t{200});
  writer.add("a.i8", std::int8_t{-100});
  writer.add("a.u16", std::uint16_t{60000});
  writer.add("a.i16", std::int16_t{-30000});
  writer.add("a.u32", std::uint32_t{4000000000});
  writer.add("a.i32", std::int32_t{-2000000000});
  writer.add("a.f32", 1.5F);
  writer.add("a.bool", true);
  writer.add("a.string", std::string_view("häuser\n\0x", 10));
  writer.add("a.u64", std::uint64_t{1} << 63);
  writer.add("a.i64", std::int64_t{-5});
  writer.add("a.f64", 0.1);
  writer.add_strings("a.strings", std::vector<std::string>{"one", "", "three"});
  writer.add_integers("a.integers", std::vector<std::int32_t>{1, -2});
  writer.add_floats("a.floats", std::vector<float>{0.5F, -1e9F});
  writer.add_strings("a.none", {});
  writer.begin();
  writer.finish();

  const GgufFile file = GgufFile::open(path);
  EXPECT_EQ(file.version(), 3u);
  const GgufMetadata& read = file.metadata();
  EXPECT_EQ(std::get<std::uint8_t>(*read.find("a.u8")), 200);
  EXPECT_EQ(std::get<std::int8_t>(*read.find("a.i8")), -100);
  EXPECT_EQ(std::get<std::uint16_t>(*read.find("a.u16")), 60000);
  EXPECT_EQ(std::get<std::int16_t>(*read.find("a.i16")), -30000);
  EXPECT_EQ(std::get<std::uint32_t>(*read.find("a.u32")), 4000000000);
  EXPECT_EQ(std::get<std::int32_t>(*read.find("a.i32")), -2000000000);
  EXPECT_EQ(std::get<float>(*read.find("a.f32")), 1.5F);
  EXPECT_EQ(std::get<bool>(*read.find("a.bool")), true);
  EXPECT_EQ(read.get_string("a.string"), std::string_view("häuser\n\0x", 10));
  EXPECT_EQ(std::get<std::uint64_t>(*read.find("a.u64")), std::uint64_t{1} << 63);
  EXPECT_EQ(std::get<std::int64_t>(*read.find("a.i64")), -5);
  EXPECT_EQ(std::get<double>(*read.find("a.f64")), 0.1);
  EXPECT_THAT(read.get_strings("a.strings"), ::testing::ElementsAre("one", "", "three"));
  EXPECT_THAT(read.get_integers("a.integers"), ::testing::ElementsAre(1, -2));
  EXPECT_THAT(read.get_floats("a.floats"), ::testing::ElementsAre(0.5F, -1e9F));
  EXPECT_TRUE(read.get_strings("a.none").empty());
  EXPECT_EQ(read.entries().size(), 16u);
}

// Nested arrays and all else that a file can hold go from one file to another byte by byte.
TEST(GgufWriter, MetadataOfAnotherFileAreCopied) {
  using testing::Bytes, testing::GgufBuilder, testing::type_array, testing::type_u32, testing::type_string;
  GgufBuilder source;
  Bytes nested;
  nested.u32(type_array).u32(type_array).u64(2);
  nested.u32(type_u32).u64(2).u32(7).u32(8);
  nested.u32(type_string).u64(1).string("in");
  source.raw("a.nested", nested).strings("a.words", {"x", "yz"}).u32("general.alignment", 64).boolean("a.yes", true);
  const std::vector<std::byte> bytes = source.build();
  const GgufFile original = GgufFile::parse(bytes);

  const TemporaryFolder folder;
  const fs::path path = folder.path() / "copy.gguf";
  GgufWriter writer(path);
  for (const auto& [key, value] : original.metadata().entries()) writer.add(key, value);
  const std::uint64_t dims[] = {1};
  writer.add_tensor("t", DataType::F32, dims);
  writer.add_tensor("u", DataType::F32, dims);
  writer.begin();
  writer.write(bytes_of({1}));
  writer.write(bytes_of({2}));
  writer.finish();
  const GgufFile copy = GgufFile::open(path);
  EXPECT_EQ(copy.tensors().get("u").bytes.data() - copy.tensors().get("t").bytes.data(), 64);
  ASSERT_EQ(copy.metadata().entries().size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(copy.metadata().entries()[i].key, original.metadata().entries()[i].key);
    EXPECT_EQ(describe(copy.metadata().entries()[i].value), describe(original.metadata().entries()[i].value));
  }
}

TEST(GgufWriter, TensorsComeBackFromPieces) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "tensors.gguf";
  GgufWriter writer(path);
  writer.add("general.architecture", std::string_view("none"));
  const std::uint64_t vector[] = {3}, matrix[] = {33, 2}, blocks[] = {64, 1, 2};
  writer.add_tensor("vector", DataType::F32, vector);
  writer.add_tensor("matrix", DataType::I4C, matrix);
  writer.add_tensor("blocks", DataType::MXFP4, blocks);
  writer.begin();
  const std::vector<std::byte> numbers = bytes_of({1, 2, 3});
  writer.write(std::span(numbers).first(5));
  writer.write(std::span(numbers).subspan(5));
  std::vector<std::byte> rows(2 * 36), mx(4 * 17);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::byte>(i);
  for (std::size_t i = 0; i < mx.size(); ++i) mx[i] = static_cast<std::byte>(3 * i);
  for (std::size_t i = 0; i < rows.size(); i += 9) writer.write(std::span(rows).subspan(i, 9));
  writer.write({});
  writer.write(mx);
  EXPECT_FALSE(fs::exists(path));
  writer.finish();
  EXPECT_EQ(fs::file_size(path), writer.file_bytes());
  EXPECT_EQ(files_in(folder.path()).size(), 1u);

  const GgufFile file = GgufFile::open(path);
  EXPECT_THAT(file.tensors().get("vector", {3}).bytes, ::testing::ElementsAreArray(numbers));
  EXPECT_EQ(file.tensors().get("matrix").type, DataType::I4C);
  EXPECT_THAT(file.tensors().get("matrix", {33, 2}).bytes, ::testing::ElementsAreArray(rows));
  EXPECT_EQ(file.tensors().get("blocks").type, DataType::MXFP4);
  EXPECT_THAT(file.tensors().get("blocks", {64, 1, 2}).bytes, ::testing::ElementsAreArray(mx));
}

TEST(GgufWriter, NothingIsLeftOfAFileThatWasNotFinished) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("model.gguf", "what was there before");
  {
    GgufWriter writer(path);
    const std::uint64_t dims[] = {2};
    writer.add_tensor("t", DataType::F32, dims);
    writer.begin();
    EXPECT_EQ(files_in(folder.path()).size(), 2u);
    EXPECT_THAT(refusal_of([&] { writer.finish(); }).message, HasSubstr("ends before the data of 1 tensors"));
    EXPECT_THAT(refusal_of([&] { writer.write(std::vector<std::byte>(9)); }).message,
                HasSubstr("9 bytes are written, but 8 remain of the tensor 't'"));
    EXPECT_THAT(refusal_of([&] { writer.add("late", true); }).message, HasSubstr("has begun"));
  }
  EXPECT_EQ(files_in(folder.path()).size(), 1u);
  std::ifstream stream(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "what was there before");
}

TEST(GgufWriter, WhatCannotBeWrittenIsRefused) {
  const std::uint64_t dims[] = {2}, odd[] = {33}, none[] = {2, 0}, five[] = {1, 1, 1, 1, 1},
                      huge[] = {std::uint64_t{1} << 40, std::uint64_t{1} << 22};
  const auto refused = [&](std::string_view name, DataType type, std::span<const std::uint64_t> extents) {
    return refusal_of([&] {
             GgufWriter writer("/nonexistent/x.gguf");
             writer.add_tensor("taken", DataType::F32, dims);
             writer.add_tensor(name, type, extents);
           })
        .message;
  };
  EXPECT_THAT(refused("", DataType::F32, dims), HasSubstr("has 0 bytes; 1 to 63"));
  EXPECT_THAT(refused(std::string(64, 'n'), DataType::F32, dims), HasSubstr("has 64 bytes; 1 to 63"));
  EXPECT_THAT(refused("taken", DataType::F32, dims), HasSubstr("'taken' is written twice"));
  EXPECT_THAT(refused("t", DataType::Q4_0, odd), HasSubstr("rows of 33 values"));
  EXPECT_THAT(refused("t", DataType::F32, none), HasSubstr("is empty"));
  EXPECT_THAT(refused("t", DataType::F32, five), HasSubstr("has 5 dimensions; at most 4"));
  EXPECT_THAT(refused("t", DataType::Bool, dims), HasSubstr("type bool, which GGUF files cannot hold"));
  EXPECT_THAT(refused("t", DataType::F64, huge), HasSubstr("multiply to more than"));
  EXPECT_EQ(refused("t", DataType::F32, dims), "");

  GgufWriter writer("/nonexistent/x.gguf");
  const auto key_refused = [&](std::string_view key, const GgufValue& value) {
    return refusal_of([&] { writer.add(key, value); }).message;
  };
  EXPECT_EQ(key_refused("key", true), "");
  EXPECT_THAT(key_refused("key", true), HasSubstr("'key' is written twice"));
  EXPECT_THAT(key_refused("", true), HasSubstr("has 0 bytes"));
  EXPECT_THAT(key_refused(std::string(65536, 'k'), true), HasSubstr("has 65536 bytes"));
  // Arrays that lie about their lengths.
  const std::vector<std::byte> eight(8);
  EXPECT_NE(key_refused("a", GgufArray(GgufType::U32, 3, eight)), "");
  EXPECT_NE(key_refused("a", GgufArray(GgufType::U32, std::uint64_t{1} << 62, eight)), "");
  EXPECT_NE(key_refused("a", GgufArray(GgufType::String, 2, eight)), "");
  EXPECT_NE(key_refused("a", GgufArray(static_cast<GgufType>(99), 1, eight)), "");
  EXPECT_THAT(key_refused("a", GgufArray(GgufType::U32, 1, eight)), HasSubstr("4 bytes more than its 1 elements"));
  EXPECT_EQ(key_refused("a", GgufArray(GgufType::U32, 2, eight)), "");
  EXPECT_THAT(key_refused("general.alignment", std::uint32_t{48}), HasSubstr("power of two"));
  EXPECT_THAT(key_refused("general.alignment", std::uint64_t{64}), HasSubstr("must be a u32"));
  EXPECT_THAT(refusal_of([&] { writer.begin(); }).message,
              HasSubstr("The file '/nonexistent/x.gguf' cannot be written: No such file"));
}

TEST(GgufWriter, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const auto refusal = refusal_of([] {
    GgufWriter writer("/dev/full");
    const std::uint64_t dims[] = {1 << 18};
    writer.add_tensor("t", DataType::F32, dims);
    writer.begin();
    const std::vector<std::byte> piece(1 << 16);
    for (int i = 0; i < 16; ++i) writer.write(piece);
    writer.finish();
  });
  EXPECT_EQ(refusal.message, "The file '/dev/full' cannot be written: No space left on device.");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace driftwood
