#include "limits/limits_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "gpu/registry.h"
#include "support/error_of.h"

namespace driftwood::limits {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(std::string_view text) {
  return test::error_of([&] { parse_limits(text, "The file"); });
}

TEST(LimitsFileTest, EachLimitIsAFactAndComesBackAsItWas) {
  gpu::DeviceFacts facts;
  facts.is_cpu = facts.has_images = true;
  facts.max_workgroup_extent = {3, 2, 1};
  facts.max_image_2d = {8192, 4096};
  nlohmann::json document;
  for (const auto& [name, value] : gpu::named_facts(facts)) document[name] = nlohmann::json::parse(value);
  // What no limit is.
  for (const char* name : {"vendor", "class", "shares_host_memory", "compute_units", "distrusted_kernels",
                           "has_typed_matrix_memory", "has_opaque_matrices", "joins_dispatches"}) {
    EXPECT_THAT(refusal(nlohmann::json{{name, document[name]}}.dump()), HasSubstr("there is no limit"));
    document.erase(name);
  }
  const gpu::DeviceLimits limits = parse_limits(document.dump(), "The facts");
  EXPECT_EQ(to_json(limits), document);
  EXPECT_EQ(limits.max_workgroup_extent, (std::array<std::uint32_t, 3>{3, 2, 1}));
  EXPECT_EQ(parse_limits("{}", "Nothing"), gpu::DeviceLimits{});
}

TEST(LimitsFileTest, WhatIsNoLimitIsRefused) {
  EXPECT_THAT(refusal(R"({"max_workgroup_sise": 64})"),
              AllOf(HasSubstr("'max_workgroup_sise'"), HasSubstr("max_workgroup_size")));
  EXPECT_THAT(refusal(R"({"max_workgroup_size": "64"})"), HasSubstr("a whole number from 0 to 4294967295"));
  EXPECT_THAT(refusal(R"({"max_workgroup_size": 4294967296})"), HasSubstr("'4294967296'"));
  for (const char* value : {"-1", "1.5", "1e3", "true", "null", "[64]", "{}", "99999999999999999999"})
    EXPECT_THAT(refusal(R"({"local_memory": )" + std::string(value) + "}"), HasSubstr("the limit 'local_memory' is"));
  for (const char* value : {"0", "1", "\"false\"", "null", "[]"})
    EXPECT_THAT(refusal(R"({"has_images": )" + std::string(value) + "}"), HasSubstr("true or false"));
  for (const char* value : {"8192", "[8192]", "[8192, 8192, 1]", "{}", "[]"})
    EXPECT_THAT(refusal(R"({"max_image_2d": )" + std::string(value) + "}"), HasSubstr("a list of 2 numbers"));
  EXPECT_THAT(refusal(R"({"max_image_2d": [8192, "8192"]})"), HasSubstr("a whole number"));
}

TEST(LimitsFileTest, HostileTextIsRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("no valid JSON"));
  EXPECT_THAT(refusal("{\"local_memory\": 1"), HasSubstr("no valid JSON"));
  EXPECT_THAT(refusal("{\"\xFF\xFE\": 1}"), HasSubstr("no valid JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal("64"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal(R"({"local_memory": 1, "local_memory": 2})"), HasSubstr("more than once"));
  EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("nests more than"));
  EXPECT_LT(refusal("{\"" + std::string(60000, 'x') + "\\u001b[2J\": 1}").size(), 1000u);
  EXPECT_LT(refusal("{\"local_memory\": \"" + std::string(60000, 'x') + "\"}").size(), 1000u);
}

TEST(LimitsFileTest, FilesAreReadWithinReason) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::filesystem::path path = folder / ("driftwood_limits_" + std::to_string(getpid()) + ".json");
  EXPECT_THAT(test::error_of([&] { read_limits(path); }), HasSubstr("cannot be opened"));
  EXPECT_THAT(test::error_of([&] { read_limits(folder); }), HasSubstr("is a folder"));
  std::ofstream(path) << "{" << std::string(100000, ' ') << "}";
  EXPECT_THAT(test::error_of([&] { read_limits(path); }), HasSubstr("more than 65536 bytes"));
  std::ofstream(path) << R"({"max_bindings": 8})";
  EXPECT_EQ(read_limits(path).max_bindings, 8u);
  std::filesystem::remove(path);
}

TEST(LimitsFileTest, TheProfilesAreReadAndMakeDevicesSmaller) {
  gpu::DeviceFacts large;
  large.is_cpu = true;
  large.max_workgroup_size = 4096;
  large.max_workgroup_extent = {4096, 4096, 4096};
  large.local_memory = 1 << 20;
  large.has_images = large.has_3d_image_writes = true;
  large.max_image_2d = {16384, 16384};
  large.max_image_3d = {2048, 2048, 2048};
  large.max_image_layers = 2048;
  large.max_image_buffer = 1 << 27;
  int profiles = 0;
  for (const auto& file : std::filesystem::directory_iterator(DRIFTWOOD_TEST_DATA "/limits")) {
    SCOPED_TRACE(file.path());
    const gpu::DeviceFacts small = gpu::limited_facts(large, read_limits(file.path()));
    EXPECT_FALSE(small.is_cpu);
    EXPECT_LE(small.max_workgroup_size, 256u);
    EXPECT_LE(small.local_memory, 32768u);
    ++profiles;
  }
  EXPECT_EQ(profiles, 4);
}

}  // namespace
}  // namespace driftwood::limits
