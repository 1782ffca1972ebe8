// safetensors files made to do harm: each is refused at once, by a message that names what is wrong.
#include <gmock/gmock.h>

#include <ostream>

#include "formats/refusal.h"
#include "formats/safetensors.h"
#include "formats/safetensors_builder.h"
#include "formats/temporary_folder.h"

namespace driftwood::testing {
namespace {

using ::testing::HasSubstr;

struct Case {
  std::string name;
  std::vector<std::byte> bytes;
  std::vector<std::string> expected;  // all of them in the message
};

void PrintTo(const Case& hostile, std::ostream* stream) { *stream << hostile.name; }

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

// A file of one tensor 'w' with 64 bytes of data.
std::vector<std::byte> one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return safetensors(R"({"w":)" + entry(dtype, shape, offsets) + "}", 64);
}

std::vector<Case> cases() {
  const std::string half = entry("F32", "[8]", "[0,32]");
  const auto two = [&](const std::string& second) {
    return safetensors(R"({"a":)" + half + R"(,"b":)" + second + "}", 64);
  };
  return {
      {"Empty", {}, {"The file is empty."}},
      {"SevenBytes", Bytes().zeros(7).get(), {"the length of the header", "only 7 remain"}},
      {"HeaderLengthZero", Bytes().u64(0).zeros(8).get(), {"The header is no valid JSON"}},
      {"HeaderLengthPastEnd", Bytes().u64(100).text("{}").get(), {"the header", "100 bytes"}},
      {"HeaderLengthOver100MB", Bytes().u64(100'000'001).text("{}").get(), {"100000001 bytes; at most 100000000"}},
      {"HeaderLength2to63", Bytes().u64(1ULL << 63).text("{}").get(), {"9223372036854775808 bytes"}},
      {"HeaderLengthMaximum", Bytes().u64(~0ULL).text("{}").get(), {"18446744073709551615 bytes"}},
      {"NoJson", safetensors("what?"), {"The header is no valid JSON"}},
      {"JsonCut", safetensors(R"({"w":)"), {"The header is no valid JSON"}},
      {"JsonTail", safetensors("{}{}"), {"The header is no valid JSON"}},
      {"InvalidUtf8", safetensors("{\"\xFF\":1}"), {"The header is no valid JSON"}},
      {"Array", safetensors("[]"), {"The header is no JSON object"}},
      {"Number", safetensors("1"), {"The header is no JSON object"}},
      {"Depth100000", safetensors(std::string(100000, '[')), {"The header nests more than 3 deep"}},
      {"DepthOfObjects",
       safetensors([] {
         std::string text;
         for (int i = 0; i < 100000; ++i) text += R"({"a":)";
         return text;
       }()),
       {"The header nests more than 3 deep"}},
      {"DepthInShape", one("F32", "[[[1]]]", "[0,64]"), {"nests more than 3 deep"}},
      {"EntryNoObject", safetensors(R"({"w":1})"), {"tensor 'w' is no object"}},
      {"NoDtype", safetensors(R"({"w":{"shape":[],"data_offsets":[0,4]}})", 4), {"'w' has no 'dtype'"}},
      {"NoShape", safetensors(R"({"w":{"dtype":"F32","data_offsets":[0,4]}})", 4), {"'w' has no 'shape'"}},
      {"NoOffsets", safetensors(R"({"w":{"dtype":"F32","shape":[]}})", 4), {"'w' has no 'data_offsets'"}},
      {"DtypeNumber", safetensors(R"({"w":{"dtype":1,"shape":[],"data_offsets":[0,4]}})", 4), {"'dtype'", "'w'"}},
      {"DtypeUnknown", one("F31", "[16]", "[0,64]"), {"'w' has the type 'F31', which is unknown"}},
      {"DtypeUnsupported", one("F8_E4M3", "[64]", "[0,64]"), {"'w' has the type 'F8_E4M3', which is not supported"}},
      {"ShapeNumber", one("F32", "16", "[0,64]"), {"'shape' of the tensor 'w' is no list"}},
      {"ShapeNegative", one("F32", "[-16]", "[0,64]"), {"'shape' of the tensor 'w'", "integers"}},
      {"ShapeFraction", one("F32", "[16.0]", "[0,64]"), {"'shape' of the tensor 'w'", "integers"}},
      {"ShapeText", one("F32", R"(["16"])", "[0,64]"), {"'shape' of the tensor 'w'", "integers"}},
      {"Shape2to64", one("F32", "[18446744073709551616]", "[0,64]"), {"'shape' of the tensor 'w'", "integers"}},
      {"ShapeProductWraps", one("F32", "[4294967296,4294967296,16]", "[0,64]"), {"'w'", "2^63"}},
      {"ShapeWrapsBesideZero", one("F32", "[0,4294967296,4294967296]", "[0,0]"), {"'w'", "2^63"}},
      {"ShapeBytesWrap", one("F32", "[4611686018427387904]", "[0,0]"), {"'w'", "2^63"}},
      {"NineDimensions", one("F32", "[1,1,1,1,1,1,1,1,16]", "[0,64]"), {"'w' has 9 dimensions"}},
      {"LengthTooShort", one("F32", "[16]", "[0,60]"), {"'w' of shape [16] and type f32 takes 64 bytes", "span 60"}},
      {"LengthTooLong", one("F32", "[15]", "[0,64]"), {"'w' of shape [15] and type f32 takes 60 bytes", "span 64"}},
      {"LengthOfOtherType", one("F16", "[16]", "[0,64]"), {"'w' of shape [16] and type f16 takes 32 bytes"}},
      {"OneOffset", one("F32", "[16]", "[64]"), {"'data_offsets' [64] of the tensor 'w'"}},
      {"ThreeOffsets", one("F32", "[16]", "[0,64,64]"), {"'data_offsets' [0, 64, 64] of the tensor 'w'"}},
      {"OffsetsReversed", one("F32", "[16]", "[64,0]"), {"'data_offsets' [64, 0] of the tensor 'w'"}},
      {"OffsetPastEnd", one("F32", "[16]", "[4,68]"), {"'data_offsets' [4, 68] of the tensor 'w'", "64 bytes of data"}},
      {"OffsetWraps",
       one("F32", "[16]", "[18446744073709551600,48]"),
       {"'data_offsets' [18446744073709551600, 48] of the tensor 'w'"}},
      {"OffsetNegative", one("F32", "[16]", "[-64,0]"), {"'data_offsets' of the tensor 'w'"}},
      {"Overlapping", two(entry("F32", "[9]", "[28,64]")), {"tensors 'a' and 'b' overlap"}},
      {"Inside", two(entry("F32", "[1]", "[4,8]")), {"tensors 'a' and 'b' overlap"}},
      {"Same", two(half), {"overlap"}},
      {"Gap", two(entry("F32", "[7]", "[36,64]")), {"before the tensor 'b' have 4 bytes that belong to no tensor"}},
      {"Tail", two(entry("F32", "[7]", "[32,60]")), {"The last 4 bytes of the file belong to no tensor"}},
      {"DuplicateName", safetensors(R"({"w":)" + half + R"(,"w":)" + half + "}", 32), {"the key 'w' more than once"}},
      {"DuplicateField",
       safetensors(R"({"w":{"dtype":"F32","dtype":"F16","shape":[8],"data_offsets":[0,32]}})", 32),
       {"the key 'dtype' more than once"}},
      {"EmptyName", safetensors(R"({"":)" + half + "}", 32), {"empty name"}},
      {"MetadataNoObject", safetensors(R"({"__metadata__":[]})"), {"'__metadata__' is no object"}},
      {"MetadataNumber", safetensors(R"({"__metadata__":{"a":1}})"), {"'__metadata__' has a value for 'a'"}},
      {"ControlCharactersInName", safetensors(R"({"\u001b[31m":1})"), {"'\\x1B[31m' is no object"}},
  };
}

class HostileSafetensors : public ::testing::TestWithParam<Case> {};

TEST_P(HostileSafetensors, IsRefusedByAMessageThatNamesIt) {
  const Case& hostile = GetParam();
  const TemporaryFolder folder;
  const auto path = folder.write("hostile.safetensors", hostile.bytes);
  const Refusal refusal = refusal_of([&] { SafetensorsFile::open(path); });
  for (const std::string& expected : hostile.expected) EXPECT_THAT(refusal.message, HasSubstr(expected));
  EXPECT_THAT(refusal.message, HasSubstr("While reading '" + path.string() + "'."));
  EXPECT_LT(refusal.seconds, 1);
  EXPECT_LT(refusal.resident_growth, 64 << 20);
}

INSTANTIATE_TEST_SUITE_P(All, HostileSafetensors, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

std::vector<std::byte> right_file() {
  return safetensors(R"({"__metadata__":{"format":"pt"},"a":)" + entry("F32", "[2,4]", "[0,32]") + R"(,"b":)" +
                         entry("F16", "[16]", "[32,64]") + "}",
                     64);
}

TEST(HostileSafetensorsTruncated, EveryPrefixIsRefused) {
  const auto bytes = right_file();
  ASSERT_EQ(SafetensorsFile::parse(bytes).tensors().all().size(), 2);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::vector<std::byte> prefix(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(SafetensorsFile::parse(prefix), InvalidInput) << length << " of " << bytes.size() << " bytes";
  }
}

TEST(HostileSafetensorsBits, EveryFlippedByteIsReadOrRefused) {
  const auto bytes = right_file();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int mask : {0x01, 0x80, 0xFF}) {
      std::vector<std::byte> changed = bytes;
      changed[i] ^= static_cast<std::byte>(mask);
      try {
        SafetensorsFile::parse(changed);
      } catch (const Error& error) {
        EXPECT_NE(error.kind(), ErrorKind::Internal) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace driftwood::testing
