// safetensors files as they should be, read and written, whole and split.
#include "formats/safetensors.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "formats/refusal.h"
#include "formats/safetensors_builder.h"
#include "formats/temporary_folder.h"

namespace driftwood::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<float> three = {1, 2, 3};
const std::vector<std::uint16_t> halves = {0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600};
const std::vector<std::int32_t> ids = {7, -8};

std::vector<SafetensorsOutput> outputs() {
  return {{"three", DataType::F32, {3}, std::as_bytes(std::span(three))},
          {"matrix \"\xC3\xA9\"", DataType::F16, {2, 3}, std::as_bytes(std::span(halves))},
          {"ids", DataType::I32, {1, 2}, std::as_bytes(std::span(ids))},
          {"scalar", DataType::F32, {}, std::as_bytes(std::span(three).first(1))},
          {"nothing", DataType::BF16, {0, 4}, {}}};
}

TEST(Safetensors, WhatIsWrittenIsRead) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "out.safetensors";
  write_safetensors(path, outputs(), {{"format", "pt"}});
  const SafetensorsFile file = SafetensorsFile::open(path);

  EXPECT_EQ(file.metadata().at("format"), "pt");
  const TensorTable& tensors = file.tensors();
  ASSERT_EQ(tensors.all().size(), 5);
  std::vector<float> values(6);
  const StoredTensor& matrix = tensors.get("matrix \"\xC3\xA9\"", {3, 2});  // fastest first
  EXPECT_THAT(matrix.shape(), ElementsAre(2, 3));
  decode_row(matrix.type, matrix.bytes, values);
  EXPECT_THAT(values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(tensors.get("ids", {2, 1}).type, DataType::I32);
  EXPECT_EQ(tensors.get("scalar", {}).size(), 1);
  EXPECT_EQ(tensors.get("nothing", {4, 0}).bytes.size(), 0);
  // Data begin at a multiple of 8 in the file.
  EXPECT_EQ((tensors.get("three").bytes.data() - file.files()[0].bytes().data()) % 8, 0);
  file.release(matrix);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
      << "a partial file was left behind";
}

TEST(Safetensors, EveryPlainTypeIsReadUnderItsName) {
  const struct {
    const char* name;
    DataType type;
  } types[] = {{"F64", DataType::F64},  {"F32", DataType::F32}, {"F16", DataType::F16}, {"BF16", DataType::BF16},
               {"I64", DataType::I64},  {"I32", DataType::I32}, {"I16", DataType::I16}, {"I8", DataType::I8},
               {"U64", DataType::U64},  {"U32", DataType::U32}, {"U16", DataType::U16}, {"U8", DataType::U8},
               {"BOOL", DataType::Bool}};
  for (const auto& [name, type] : types) {
    const std::size_t bytes = info(type).block_bytes * 2;
    const std::string header = std::string(R"({"x":{"dtype":")") + name + R"(","shape":[2],"data_offsets":[0,)" +
                               std::to_string(bytes) + "]}}";
    const auto content = safetensors(header, bytes);
    EXPECT_EQ(SafetensorsFile::parse(content).tensors().get("x", {2}).type, type) << name;
  }
}

TEST(Safetensors, AnEmptyTableIsAFile) {
  EXPECT_TRUE(SafetensorsFile::parse(safetensors("{}")).tensors().all().empty());
  EXPECT_TRUE(SafetensorsFile::parse(safetensors(R"({"__metadata__":{"a":"b"}}   )")).tensors().all().empty());
}

TEST(Safetensors, WritingRefusesWhatCannotBeRead) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "out.safetensors";
  const auto write_error = [&](const SafetensorsOutput& output, const SafetensorsOutput& other) {
    const SafetensorsOutput both[] = {output, other};
    return refusal_of([&] { write_safetensors(path, both); }).message;
  };
  const SafetensorsOutput right = outputs()[0];
  SafetensorsOutput wrong = right;
  EXPECT_THAT(write_error(right, wrong), HasSubstr("name 'three'"));
  wrong.name = "";
  EXPECT_THAT(write_error(right, wrong), HasSubstr("empty"));
  wrong.name = "wrong";
  wrong.shape = {4};
  EXPECT_THAT(write_error(right, wrong),
              HasSubstr("'wrong' of shape [4] and type f32 takes 16 bytes, but 12 are given"));
  wrong.shape = {3};
  wrong.type = DataType::Q8_0;
  EXPECT_THAT(write_error(right, wrong), HasSubstr("'wrong'"));
  wrong = {"\xFF", DataType::F32, {3}, right.bytes};
  EXPECT_THAT(write_error(right, wrong), HasSubstr("cannot be written as JSON"));
  EXPECT_FALSE(std::filesystem::exists(path));
  const auto nowhere = folder.path() / "no" / "such" / "folder.safetensors";
  EXPECT_THAT(refusal_of([&] { write_safetensors(nowhere, {}); }).message, HasSubstr("cannot be written"));
}

TEST(Safetensors, WritingToAPipeLeavesItInPlace) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write_safetensors(pipe, outputs());
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  std::uint64_t length = 0;
  EXPECT_EQ(::read(reader, &length, sizeof length), 8);
  EXPECT_GT(length, 0);
  ::close(reader);
}

class SafetensorsShards : public ::testing::Test {
 protected:
  SafetensorsShards() {
    const auto all = outputs();
    write_safetensors(folder.path() / "model-00001-of-00002.safetensors", std::span(all).first(2), {{"format", "pt"}});
    write_safetensors(folder.path() / "model-00002-of-00002.safetensors", std::span(all).subspan(2, 1));
    write_index(R"({"metadata":{"total_size":32},"weight_map":{"three":"model-00001-of-00002.safetensors",
                    "matrix \"é\"":"model-00001-of-00002.safetensors","ids":"model-00002-of-00002.safetensors"}})");
  }
  void write_index(std::string_view text) const { folder.write("model.safetensors.index.json", text); }
  std::string open_error() const {
    return refusal_of([&] { SafetensorsFile::open(folder.path()); }).message;
  }
  TemporaryFolder folder;
};

TEST_F(SafetensorsShards, AreReadTogether) {
  for (const auto& path : {folder.path(), folder.path() / "model.safetensors.index.json"}) {
    const SafetensorsFile file = SafetensorsFile::open(path);
    EXPECT_EQ(file.files().size(), 2);
    EXPECT_EQ(file.tensors().all().size(), 3);
    EXPECT_EQ(file.tensors().get("ids", {2, 1}).type, DataType::I32);
  }
}

TEST_F(SafetensorsShards, MissingEmptyAndForeignOnesAreNamed) {
  folder.write("model-00002-of-00002.safetensors", std::string_view());
  EXPECT_THAT(open_error(), HasSubstr("The file is empty.\nWhile reading"));
  std::filesystem::remove(folder.path() / "model-00002-of-00002.safetensors");
  EXPECT_THAT(open_error(), HasSubstr("model-00002-of-00002.safetensors' cannot be opened"));
  std::filesystem::copy_file(folder.path() / "model-00001-of-00002.safetensors",
                             folder.path() / "model-00002-of-00002.safetensors");
  EXPECT_THAT(open_error(), HasSubstr("which the index places in 'model-00001-of-00002.safetensors'"));
  const auto others = outputs();
  write_safetensors(folder.path() / "model-00002-of-00002.safetensors", std::span(others).subspan(3, 1));
  EXPECT_THAT(open_error(), HasSubstr("holds the tensor 'scalar', which the index does not have"));
  write_safetensors(folder.path() / "model-00002-of-00002.safetensors", {});
  EXPECT_THAT(open_error(), HasSubstr("The tensor 'ids' is missing from its file"));
}

TEST_F(SafetensorsShards, TheIndexIsChecked) {
  for (const char* index : {"", "[]", "{}", R"({"weight_map":[]})", R"({"weight_map":{}})"}) {
    write_index(index);
    EXPECT_THAT(open_error(), HasSubstr("The index")) << index;
  }
  for (const char* name : {"", ".", "..", "/etc/passwd", "../other.safetensors", "a/b", "x\\u0000y"}) {
    write_index(std::string(R"({"weight_map":{"three":")") + name + "\"}}");
    EXPECT_THAT(open_error(), HasSubstr("The index gives the tensor 'three' the file")) << name;
  }
  write_index(R"({"weight_map":{"three":1}})");
  EXPECT_THAT(open_error(), HasSubstr("no plain file name"));
}

TEST(SafetensorsFolder, WithoutAModelIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of([&] { SafetensorsFile::open(folder.path()); }).message,
              HasSubstr("has neither 'model.safetensors.index.json' nor 'model.safetensors'"));
}

}  // namespace
}  // namespace driftwood::testing
