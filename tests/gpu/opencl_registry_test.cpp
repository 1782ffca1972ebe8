#include <gmock/gmock.h>
#include <sys/wait.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "gpu/registry.h"
#include "opencl_test_device.h"

namespace driftwood::gpu {
namespace {

using opencl::test::ScopedVariable;
using opencl::test::TemporaryFolder;
using testing::HasSubstr;

TEST(RegistryTest, TheReferenceIsAlwaysThereAndIdsAreDistinct) {
  std::vector<std::string> ids;
  for (const DeviceListing& listing : list_devices()) {
    if (listing.failure.empty()) ids.push_back(listing.facts.id);
  }
  EXPECT_THAT(ids, testing::Contains("reference"));
  EXPECT_EQ(ids.back(), "reference") << "it is the last resort";
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

TEST(RegistryTest, AnUnknownIdNamesTheKnownOnes) {
  for (const char* id : {"opencl:99", "cuda:0", "open", "reference:0", "OPENCL:0"}) {
    try {
      open_device(id);
      FAIL() << id;
    } catch (const InvalidInput& error) {
      EXPECT_THAT(error.what(), testing::AllOf(HasSubstr(id), HasSubstr("'reference'")));
    }
  }
}

TEST(RegistryTest, TheEnvironmentNamesTheDefault) {
  const ScopedVariable chosen("DRIFTWOOD_DEVICE", "reference");
  EXPECT_EQ(open_device()->facts().id, "reference");
  const ScopedVariable wrong("DRIFTWOOD_DEVICE", "nothing");
  EXPECT_THROW(open_device(), InvalidInput);
}

TEST(RegistryTest, FactsAreJson) {
  DeviceFacts facts;
  facts.vendor = "a \"vendor\" \xFF";
  facts.max_workgroup_extent = {3, 2, 1};
  nlohmann::json document;
  for (const auto& [name, value] : named_facts(facts)) document[name] = nlohmann::json::parse(value);
  EXPECT_EQ(document["max_workgroup_extent"], (nlohmann::json{3, 2, 1}));
  EXPECT_EQ(document["is_cpu"], false);
  EXPECT_EQ(document["subgroup_size"], 1);
}

TEST(OpenClLoaderTest, ADriverThatCannotBeOpenedIsListedWithTheReason) {
  const TemporaryFolder vendors;
  std::ofstream(vendors.path() / "absent.icd") << "libdriftwood-absent-driver.so.1\n";
  std::ofstream(vendors.path() / "empty.icd") << "";
  const ScopedVariable place("OCL_ICD_VENDORS", vendors.path().string());
  const opencl::Drivers drivers = opencl::load_drivers(
      {.loader_libraries = {"libdriftwood-absent-loader.so"}, .vendor_libraries = {}, .fallback_libraries = {}});
  EXPECT_TRUE(drivers.platforms.empty());
  std::vector<std::string> reasons;
  for (const auto& failure : drivers.failures) reasons.push_back(failure.source + ": " + failure.reason);
  EXPECT_THAT(reasons, testing::UnorderedElementsAre(
                           testing::AllOf(HasSubstr("absent-loader"), HasSubstr("cannot be opened")),
                           testing::AllOf(HasSubstr("absent.icd"), HasSubstr("libdriftwood-absent-driver")),
                           testing::AllOf(HasSubstr("empty.icd"), HasSubstr("names no library"))));
}

TEST(OpenClLoaderTest, ALibraryThatIsNoLoaderIsListed) {
  const opencl::Drivers drivers = opencl::load_drivers(
      {.loader_libraries = {"libm.so.6"}, .vendor_libraries = {"libm.so.6"}, .fallback_libraries = {}});
  EXPECT_TRUE(drivers.platforms.empty());
  ASSERT_GE(drivers.failures.size(), 2u);
  EXPECT_THAT(drivers.failures.front().reason, HasSubstr("clGetPlatformIDs"));
  EXPECT_THAT(drivers.failures.back().reason, HasSubstr("clIcdGetPlatformIDsKHR"));
}

// Each in a process of its own: the loader reads its environment once, and a driver may not come twice.
class OpenClProcessTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(OpenClProcessTest, ABrokenDriverIsNamedAndLeavesTheRestAlone) {
  const TemporaryFolder vendors;
  std::ofstream(vendors.path() / "bogus.icd") << "libdriftwood-absent-driver.so.1\n";
  EXPECT_EXIT(
      {
        setenv("OCL_ICD_VENDORS", vendors.path().c_str(), 1);
        const opencl::Enumeration found = opencl::enumerate();
        bool names_driver = false;
        for (const auto& failure : found.failures) {
          names_driver |= failure.reason.find("libdriftwood-absent-driver") != std::string::npos;
        }
        std::_Exit(names_driver ? 0 : 1);  // some loaders do not heed the variable, so there may be devices
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(OpenClProcessTest, AVendorsLibraryWorksWithoutALoader) {
  if (opencl::enumerate().devices.empty()) GTEST_SKIP() << "This machine has no OpenCL device.";
  EXPECT_EXIT(
      {
        const opencl::Enumeration found = opencl::enumerate({.loader_libraries = {}});
        if (found.devices.empty()) std::_Exit(3);  // a driver that is not in the list of libraries
        opencl::OpenClDevice device(found.devices.front());
        const auto memory = device.allocate({.bytes = 4});
        device.fill_zero(*memory, 0, 4);
        std::uint32_t value = 1;
        device.read(*memory, 0, std::as_writable_bytes(std::span(&value, 1)));
        std::_Exit(value == 0 ? 0 : 1);
      },
      [](int status) { return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3); }, "");
}

}  // namespace
}  // namespace driftwood::gpu
