// GGUF files made to do harm: each is refused at once, by a message that names what is wrong.
#include <gmock/gmock.h>

#include <functional>
#include <ostream>

#include "base/error.h"
#include "formats/gguf.h"
#include "formats/gguf_builder.h"
#include "formats/refusal.h"
#include "formats/temporary_folder.h"

namespace driftwood::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t two_to_63 = 1ULL << 63;

struct Case {
  std::string name;
  std::vector<std::byte> bytes;
  std::vector<std::string> expected;  // all of them in the message
};

void PrintTo(const Case& hostile, std::ostream* stream) { *stream << hostile.name; }

GgufBuilder base() { return GgufBuilder().string("general.architecture", "llama"); }

std::vector<std::byte> with(const std::function<void(GgufBuilder&)>& change) {
  GgufBuilder builder = base();
  change(builder);
  return builder.build();
}

Bytes nested_arrays(int depth) {
  Bytes bytes;
  bytes.u32(type_array);
  for (int i = 0; i < depth; ++i) bytes.u32(type_array).u64(1);
  return bytes.u32(type_u8).u64(0);
}

std::vector<Case> header_cases() {
  return {
      {"Empty", {}, {"The file is empty."}},
      {"OneByte", Bytes().text("G").get(), {"begins with 'G' instead of 'GGUF'"}},
      {"WrongMagic", with([](auto& b) { b.magic = "GGML"; }), {"begins with 'GGML'"}},
      {"ControlCharactersInMagic", with([](auto& b) { b.magic = "\x1b[2J"; }), {"begins with '\\x1B[2J'"}},
      {"Version0", with([](auto& b) { b.version = 0; }), {"GGUF version 0 is not supported"}},
      {"Version1", with([](auto& b) { b.version = 1; }), {"GGUF version 1 is not supported"}},
      {"Version4", with([](auto& b) { b.version = 4; }), {"GGUF version 4 is not supported"}},
      {"Version3Swapped", with([](auto& b) { b.version = 0x03000000; }), {"big-endian file of version 3"}},
      {"TensorCount", Bytes().text("GGUF").u32(3).u64(two_to_63).u64(0).get(), {"9223372036854775808 tensors"}},
      {"TensorCountMaximum", Bytes().text("GGUF").u32(3).u64(~0ULL).u64(0).get(), {"18446744073709551615 tensors"}},
      {"MetadataCount",
       Bytes().text("GGUF").u32(3).u64(0).u64(two_to_63).get(),
       {"9223372036854775808 metadata entries"}},
      {"TensorCountBeyondTable", with([](auto& b) { b.tensor_count = 1; }), {"tensor 0"}},
      {"MetadataCountBeyondEntries", with([](auto& b) { b.metadata_count = 2; }), {"metadata key is empty"}},
  };
}

std::vector<Case> metadata_cases() {
  const auto key = [](const Bytes& type_and_value) { return base().raw("some.key", type_and_value).build(); };
  return {
      {"KeyLengthPastEnd",
       Bytes().text("GGUF").u32(3).u64(0).u64(1).u64(1000).zeros(16).get(),
       {"the key of metadata entry 0", "1000 bytes"}},
      {"KeyLengthHuge",
       Bytes().text("GGUF").u32(3).u64(0).u64(1).u64(two_to_63).zeros(16).get(),
       {"the key of metadata entry 0", "9223372036854775808 bytes"}},
      {"KeyTooLong", base().u32(std::string(70000, 'k'), 1).build(), {"70000 bytes; at most 65535", "kkk...kkk"}},
      {"EmptyKey", base().u32("", 1).build(), {"A metadata key is empty."}},
      {"DuplicateKey", base().u32("twice", 1).u32("twice", 1).build(), {"'twice' occurs more than once"}},
      {"StringPastEnd", key(Bytes().u32(type_string).u64(100).text("x")), {"'some.key'", "100 bytes"}},
      {"StringHuge", key(Bytes().u32(type_string).u64(two_to_63)), {"'some.key'", "9223372036854775808 bytes"}},
      {"StringWraps", key(Bytes().u32(type_string).u64(~0ULL)), {"'some.key'", "18446744073709551615 bytes"}},
      {"UnknownType", key(Bytes().u32(13).zeros(8)), {"type id 13", "'some.key'"}},
      {"UnknownTypeMaximum", key(Bytes().u32(~0U).zeros(8)), {"type id 4294967295", "'some.key'"}},
      {"Boolean2", key(Bytes().u32(type_bool).add<std::uint8_t>(2)), {"boolean 2", "'some.key'"}},
      {"Boolean255InArray",
       key(Bytes().u32(type_array).u32(type_bool).u64(1).add<std::uint8_t>(255)),
       {"boolean 255", "'some.key'"}},
      {"ArrayCountHuge",
       key(Bytes().u32(type_array).u32(type_u8).u64(two_to_63)),
       {"9223372036854775808 elements", "'some.key'"}},
      {"ArrayBytesWrap",
       key(Bytes().u32(type_array).u32(type_u64).u64(1ULL << 61)),
       {"2305843009213693952 elements", "'some.key'"}},
      {"ArrayOfStringsCountHuge",
       key(Bytes().u32(type_array).u32(type_string).u64(1ULL << 40).zeros(64)),
       {"1099511627776 elements", "'some.key'"}},
      {"ArrayOfStringsElementPastEnd",
       key(Bytes().u32(type_array).u32(type_string).u64(2).string("ok").u64(two_to_63)),
       {"'some.key'", "9223372036854775808 bytes"}},
      {"ArrayUnknownElement", key(Bytes().u32(type_array).u32(99).u64(1).zeros(8)), {"type id 99", "'some.key'"}},
      {"ArrayNested5", key(nested_arrays(4)), {"'some.key' nest more than 4 deep"}},
      {"ArrayNested10000", key(nested_arrays(10000)), {"'some.key' nest more than 4 deep"}},
      {"Alignment0", base().u32("general.alignment", 0).build(), {"'general.alignment' is 0", "power of two"}},
      {"Alignment3", base().u32("general.alignment", 3).build(), {"'general.alignment' is 3", "power of two"}},
      {"Alignment4", base().u32("general.alignment", 4).build(), {"'general.alignment' is 4", "between 8"}},
      {"Alignment2to30",
       base().u32("general.alignment", 1U << 30).build(),
       {"'general.alignment' is 1073741824", "65536"}},
      {"AlignmentText", base().string("general.alignment", "32").build(), {"'general.alignment' has the type string"}},
      {"SplitCountText", base().string("split.count", "2").build(), {"'split.count' has the type string"}},
  };
}

std::vector<Case> tensor_cases() {
  const auto tensor = [](std::uint32_t type, const std::vector<std::uint64_t>& dims, std::uint64_t offset = 0) {
    return base().entry("some.weight", type, dims, offset).data(4096).build();
  };
  const auto rank = [](std::uint32_t dims) {
    return base().raw_entry(Bytes().string("some.weight").u32(dims).zeros(64)).build();
  };
  std::vector<Case> cases = {
      {"Dims5", rank(5), {"'some.weight' has 5 dimensions"}},
      {"DimsMaximum", rank(0xFFFFFFFF), {"'some.weight' has 4294967295 dimensions"}},
      {"ZeroExtent", tensor(0, {4, 0}), {"'some.weight' has the extents [4, 0]"}},
      {"NegativeExtent", tensor(0, {~0ULL, 1}), {"'some.weight'", "2^63"}},
      {"NegativeProduct", tensor(0, {1ULL << 32, 1ULL << 31}), {"'some.weight'", "2^63"}},
      {"ProductWrapsToZero", tensor(0, {1ULL << 32, 1ULL << 32}), {"'some.weight'", "2^63"}},
      {"ProductWrapsToSmall", tensor(0, {(1ULL << 62) + 1, 4}), {"'some.weight'", "2^63"}},
      {"BytesWrap", tensor(0, {1ULL << 62}), {"'some.weight'", "2^63"}},
      {"RowOf33", tensor(2, {33, 2}), {"'some.weight' has rows of 33 values", "32"}},
      {"RowOf128InSuperblocks", tensor(12, {128, 2}), {"'some.weight' has rows of 128 values", "256"}},
      {"ScalarOfBlocks", tensor(8, {}), {"'some.weight' has rows of 1 values"}},
      {"OffsetPastEnd", tensor(0, {4}, 4096), {"'some.weight'", "offset 4096", "4096 bytes of data"}},
      {"DataPastEnd", tensor(0, {1025}), {"'some.weight'", "4100 bytes at offset 0"}},
      {"OffsetMisaligned", tensor(0, {4}, 4), {"'some.weight'", "offset 4", "alignment 32"}},
      {"OffsetWraps", tensor(0, {8}, ~0ULL - 31), {"'some.weight'", "reach past the end"}},
      {"OffsetNegative", tensor(0, {8}, two_to_63), {"'some.weight'", "reach past the end"}},
      {"Overlapping",
       base().entry("a", 0, {16}, 0).entry("b", 0, {8}, 32).data(256).build(),
       {"tensors 'a' and 'b' overlap"}},
      {"Same", base().entry("a", 0, {16}, 64).entry("b", 0, {16}, 64).data(256).build(), {"overlap"}},
      {"DuplicateName",
       base().entry("twice", 0, {8}, 0).entry("twice", 0, {8}, 32).data(64).build(),
       {"The tensor 'twice' occurs more than once"}},
      {"EmptyName", base().entry("", 0, {8}, 0).data(32).build(), {"name of tensor 0 is empty"}},
      {"NameTooLong", base().entry(std::string(300, 'n'), 0, {8}, 0).data(32).build(), {"300 bytes; at most 255"}},
      {"NameLengthHuge", base().raw_entry(Bytes().u64(two_to_63).zeros(64)).build(), {"the name of tensor 0"}},
      {"ControlCharactersInName", base().entry("\x1b[31m\n", 0, {0}, 0).build(), {"'\\x1B[31m\\x0A'"}},
      {"TypeMaximum", tensor(0xFFFFFFFF, {256}), {"'some.weight'", "unknown type id 4294967295"}},
      {"TypeJustPastTheLast", tensor(42, {256}), {"'some.weight'", "unknown type id 42"}},
  };
  for (const std::uint32_t removed : {4, 5, 31, 32, 33, 36, 37, 38}) {
    cases.push_back({"RemovedType" + std::to_string(removed),
                     tensor(removed, {256}),
                     {"'some.weight'", "type id " + std::to_string(removed), "removed"}});
  }
  for (const std::uint32_t unread : {9, 16, 23, 29, 34, 40, 41}) {
    cases.push_back({"UnreadType" + std::to_string(unread), tensor(unread, {256}), {"'some.weight'", "not supported"}});
  }
  return cases;
}

class HostileGguf : public ::testing::TestWithParam<Case> {};

TEST_P(HostileGguf, IsRefusedByAMessageThatNamesIt) {
  const Case& hostile = GetParam();
  const TemporaryFolder folder;
  const auto path = folder.write("hostile.gguf", hostile.bytes);
  const Refusal refusal = refusal_of([&] { GgufFile::open(path); });
  for (const std::string& expected : hostile.expected) EXPECT_THAT(refusal.message, HasSubstr(expected));
  EXPECT_THAT(refusal.message, HasSubstr("While reading '" + path.string() + "'."));
  EXPECT_LT(refusal.seconds, 1);
  EXPECT_LT(refusal.resident_growth, 64 << 20);
}

const auto case_name = [](const auto& test) { return test.param.name; };
INSTANTIATE_TEST_SUITE_P(Header, HostileGguf, ::testing::ValuesIn(header_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Metadata, HostileGguf, ::testing::ValuesIn(metadata_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Tensors, HostileGguf, ::testing::ValuesIn(tensor_cases()), case_name);

TEST(HostileGgufTruncated, EveryPrefixIsRefused) {
  const auto bytes = base()
                         .strings("tokens", {"a", "bc", "def"})
                         .numbers<std::int32_t>("types", type_i32, {1, 2, 3})
                         .f32("epsilon", 1e-5f)
                         .f32_tensor("norm", {8}, std::vector<float>(8))
                         .tensor("weight", 2, {32, 2}, std::vector<std::byte>(36))
                         .build();
  ASSERT_EQ(GgufFile::parse(bytes).tensors().all().size(), 2);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    // A copy of exactly this length lets the address sanitizer see any read past it.
    const std::vector<std::byte> prefix(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(GgufFile::parse(prefix), InvalidInput) << length << " of " << bytes.size() << " bytes";
  }
}

TEST(HostileGgufTruncated, AManyTokenPrefixAllocatesNothingForTheClaimedCount) {
  Bytes file;
  file.text("GGUF").u32(3).u64(0).u64(1).string("tokens").u32(type_array).u32(type_string).u64(1ULL << 20);
  file.zeros(8 << 20);  // room for 2^20 empty strings, and the file ends there: valid, and not kept as a list
  file.zeros(32);
  const Refusal refusal = refusal_of([&] { GgufFile::parse(file.get()); });
  EXPECT_EQ(refusal.message, "");
  EXPECT_LT(refusal.resident_growth, 4 << 20);
}

TEST(HostileGgufPath, FoldersAndMissingFilesAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(GgufFile::open(folder.path()), InvalidInput);
  EXPECT_THROW(GgufFile::open(folder.path() / "missing.gguf"), InvalidInput);
  EXPECT_THROW(GgufFile::open(""), InvalidInput);
}

TEST(HostileGgufBits, EveryFlippedByteIsReadOrRefused) {
  const auto bytes = base().strings("tokens", {"a", "bc"}).f32_tensor("norm", {8}, std::vector<float>(8)).build();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int mask : {0x01, 0x80, 0xFF}) {
      std::vector<std::byte> changed = bytes;
      changed[i] ^= static_cast<std::byte>(mask);
      try {
        GgufFile::parse(changed);
      } catch (const Error& error) {
        EXPECT_NE(error.kind(), ErrorKind::Internal) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace driftwood::testing
