// Tables of measured choices: what is written is read again, and what is damaged is refused or counts as none.
#include "tuning/table.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "graph/storage_choice.h"
#include "tuning/stored.h"

namespace driftwood::tuning {
namespace {

using testing::HasSubstr;

TableEntry entry(std::string node = "linear (f32 1 c4096; q4_0 4096 x 4096) -> f32 1 c4096 @ auto") {
  return {.key = {std::move(node), 1, 2048},
          .choice = {.kernel = "linear-rows", .values = {{"splits", 8}, {"turns", 2}}},
          .microseconds = 5.25,
          .rule_microseconds = 6.5,
          .modules = {"package::linear_rows"},
          .code = fingerprint({"package::linear_rows"})};
}

Table table() {
  return {.device = "a device", .api = "OpenCL 3.0", .driver = "1", .entries = {entry(), entry("attention")}};
}

gpu::DeviceFacts facts() {
  gpu::DeviceFacts facts;
  facts.name = "a device";
  facts.api = "OpenCL 3.0";
  facts.driver = "1";
  return facts;
}

class Folder {
 public:
  Folder() : path_(std::filesystem::path(testing::TempDir()) / fmt_name()) { std::filesystem::remove_all(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  static std::string fmt_name() {
    return std::string("tuning_") + testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  std::filesystem::path path_;
};

std::string fault_of(const std::string& text) {
  try {
    parse_table(text, "The table 'x'");
  } catch (const InvalidInput& error) {
    return error.message();
  }
  return "none";
}

TEST(TuningTable, IsReadAsItIsWritten) {
  const Table read = parse_table(to_text(table()), "The table");
  EXPECT_EQ(read.device, "a device");
  ASSERT_EQ(read.entries.size(), 2U);
  EXPECT_EQ(read.entries[0].key, entry().key);
  EXPECT_EQ(read.entries[0].choice, entry().choice);
  EXPECT_EQ(read.entries[0].microseconds, 5.25);
  EXPECT_EQ(read.entries[0].modules, entry().modules);
  EXPECT_EQ(to_text(read), to_text(table()));
  EXPECT_EQ(parse_table(to_text({}), "The table").entries.size(), 0U);
}

TEST(TuningTable, AnEntryTakesThePlaceOfItsKeys) {
  Table one = table();
  TableEntry other = entry();
  other.choice.kernel = "linear-wide";
  one.set(other);
  EXPECT_EQ(one.entries.size(), 2U);
  EXPECT_EQ(one.entries[0].choice.kernel, "linear-wide");
  one.set(entry("another"));
  EXPECT_EQ(one.entries.size(), 3U);
}

TEST(TuningTable, WhatIsDamagedIsRefusedByName) {
  const nlohmann::json whole = nlohmann::json::parse(to_text(table()));
  const auto with = [&](const std::string& pointer, const nlohmann::json& value) {
    nlohmann::json changed = whole;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    return changed.dump();
  };
  EXPECT_THAT(fault_of(""), HasSubstr("The table 'x' is no valid JSON"));
  EXPECT_THAT(fault_of("[]"), HasSubstr("is no JSON object"));
  EXPECT_THAT(fault_of("{}"), HasSubstr("has no 'format'"));
  EXPECT_THAT(fault_of(with("/format", 2)), HasSubstr("is of format 2; this version reads 1"));
  EXPECT_THAT(fault_of(with("/format", -1)), HasSubstr("no whole number"));
  EXPECT_THAT(fault_of(with("/device", 1)), HasSubstr("'device' that is no text"));
  EXPECT_THAT(fault_of(with("/entries", 1)), HasSubstr("'entries' that is no list"));
  EXPECT_THAT(fault_of(with("/entries/1", 1)), HasSubstr("entry 2 is no JSON object"));
  EXPECT_THAT(fault_of(with("/entries/0/node", std::string(5000, 'x'))),
              HasSubstr("5000 bytes, over the limit of 4000"));
  EXPECT_THAT(fault_of(with("/entries/0/tokens", 1.5)), HasSubstr("'tokens'"));
  EXPECT_THAT(fault_of(with("/entries/0/tokens", 4294967296)), HasSubstr("from 0 to 4294967295"));
  EXPECT_THAT(fault_of(with("/entries/0/values", nlohmann::json::array())), HasSubstr("no object"));
  EXPECT_THAT(fault_of(with("/entries/0/values/splits", "8")), HasSubstr("'splits'"));
  nlohmann::json many = nlohmann::json::object();
  for (int i = 0; i < 17; ++i) many[std::to_string(i)] = i;
  EXPECT_THAT(fault_of(with("/entries/0/values", many)), HasSubstr("17 elements in 'values', over the limit of 16"));
  EXPECT_THAT(fault_of(with("/entries/0/us", -1)), HasSubstr("from 0 to 1e12"));
  EXPECT_THAT(fault_of(with("/entries/0/modules/0", 7)), HasSubstr("'modules' that is no text"));
  EXPECT_THAT(fault_of(with("/entries/0/values/deep", {{"a", {{"b", 1}}}})), HasSubstr("nests"));
  nlohmann::json without = whole;
  without["entries"][0].erase("code");
  EXPECT_THAT(fault_of(without.dump()), HasSubstr("entry 1 has no 'code'"));
  const std::string text = to_text(table());
  for (std::size_t length = 0; length + 3 < text.size(); length += 7) {
    EXPECT_NE(fault_of(text.substr(0, length)), "none") << length;
  }
  EXPECT_THAT(fault_of(std::string((16 << 20) + 1, ' ')), HasSubstr("over the limit"));
}

TEST(TuningTable, TheFuzzersCorpusIsReadOrRefused) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(DRIFTWOOD_SOURCE_DIR "/tests/fuzz/corpus/tuning")) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    EXPECT_EQ(fault_of(text) == "none", file.path().filename().string().starts_with("ok-")) << file.path();
    ++files;
  }
  EXPECT_GT(files, 10);
}

TEST(TuningTable, FingerprintsFollowImports) {
  const std::string rows = fingerprint({"package::linear_rows"});
  EXPECT_EQ(rows.size(), 16U);
  EXPECT_EQ(rows, fingerprint({"package::linear_rows"}));
  EXPECT_NE(rows, fingerprint({"package::row_product"}));
  EXPECT_NE(rows, fingerprint({"package::linear_rows", "package::linear_wide"}));
  EXPECT_EQ(rows, fingerprint({"package::linear_rows", "package::row_product"}));  // which it imports
  EXPECT_NE(rows, fingerprint({"package::nothing"}));
}

TEST(TuningCache, KeepsWhatWasMeasuredUntilItIsForgotten) {
  const Folder folder;
  const Cache cache(folder.path());
  EXPECT_FALSE(cache.load(facts()));
  EXPECT_FALSE(cache.forget(facts()));
  ASSERT_TRUE(cache.store(facts(), table()));
  Table more;
  more.entries = {entry("another")};
  ASSERT_TRUE(cache.store(facts(), more));
  const auto read = cache.load(facts());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->entries.size(), 3U);
  gpu::DeviceFacts other = facts();
  other.driver = "2";
  EXPECT_FALSE(cache.load(other));
  EXPECT_TRUE(cache.forget(facts()));
  EXPECT_FALSE(cache.load(facts()));
  EXPECT_FALSE(Cache({}).store(facts(), table()));
}

TEST(TuningCache, AForeignOrDamagedFileCountsAsNone) {
  const Folder folder;
  const Cache cache(folder.path());
  ASSERT_TRUE(cache.store(facts(), table()));
  gpu::DeviceFacts other = facts();
  other.driver = "2";
  std::filesystem::copy_file(cache.file_of(facts()), cache.file_of(other));
  EXPECT_FALSE(cache.load(other));
  std::ofstream(cache.file_of(facts())) << "{\"format\": 1";
  EXPECT_FALSE(cache.load(facts()));
  EXPECT_EQ(choices_for(facts(), cache).source(), "rule");
  EXPECT_TRUE(cache.store(facts(), table()));  // and is replaced
  EXPECT_EQ(choices_for(facts(), cache).from_cache, 2U);
}

TEST(TuningCache, EntriesOfKernelsThatHaveChangedAreLeftOut) {
  const Folder folder;
  const Cache cache(folder.path());
  Table stale = table();
  stale.entries[0].code = "0000000000000000";
  ASSERT_TRUE(cache.store(facts(), stale));
  const StoredChoices stored = choices_for(facts(), cache);
  EXPECT_EQ(stored.from_cache, 1U);
  EXPECT_EQ(stored.source(), "cache");
  EXPECT_EQ(stored.choices->find(entry().key), nullptr);
  EXPECT_NE(stored.choices->find(entry("attention").key), nullptr);
}

TEST(ShippedTables, AreRightAndOfKnownRows) {
  for (const ShippedTable& shipped : shipped_tables()) {
    const Table one = parse_table(shipped.text, "The shipped table");
    for (const TableEntry& each : one.entries) {
      if (each.choice.kernel.empty() || graph::stored_kind(each.choice)) continue;
      EXPECT_FALSE(graph::operation_of(each.choice.kernel).empty()) << shipped.name << ": " << each.choice.kernel;
      EXPECT_THAT(each.key.node, testing::StartsWith(std::string(graph::operation_of(each.choice.kernel))));
    }
  }
}

TEST(ShippedTables, AreForTheirDevices) {
  gpu::DeviceFacts cpu;
  cpu.api = "OpenCL 3.0";
  cpu.is_cpu = cpu.has_wide_dot = true;
  ASSERT_NE(shipped_for(cpu), nullptr);
  EXPECT_EQ(shipped_for(cpu)->name, "opencl-cpu-vnni");
  cpu.has_wide_dot = false;
  EXPECT_EQ(shipped_for(cpu), nullptr);
  EXPECT_EQ(shipped_for(facts()), nullptr);
  gpu::DeviceFacts gpu;
  gpu.api = "OpenCL 3.0";
  gpu.name = "NVIDIA H200";
  ASSERT_NE(shipped_for(gpu), nullptr);
  EXPECT_EQ(shipped_for(gpu)->name, "opencl-h200");
  gpu.api = "WebGPU over Vulkan";
  EXPECT_EQ(shipped_for(gpu), nullptr);
}

}  // namespace
}  // namespace driftwood::tuning
