// Which device is opened, over back ends that are made up.
#include "gpu/registry.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "opencl_test_device.h"
#include "support/error_of.h"

namespace driftwood::gpu {
namespace {

using opencl::test::ScopedVariable;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Has facts and nothing else.
class FactsAlone : public Device {
 public:
  explicit FactsAlone(DeviceFacts facts) : facts_(std::move(facts)) {}
  const DeviceFacts& facts() const override { return facts_; }
  std::shared_ptr<Memory> allocate(const MemoryDescriptor&) override { return nullptr; }
  void write(Memory&, std::uint64_t, std::span<const std::byte>) override {}
  void read(const Memory&, std::uint64_t, std::span<std::byte>) override {}
  void fill_zero(Memory&, std::uint64_t, std::uint64_t) override {}
  std::shared_ptr<Kernel> compile(const shader::Module&, const std::string&) override { return nullptr; }
  std::unique_ptr<Recording> record(std::vector<Dispatch>) override { return nullptr; }
  void submit(Recording&) override {}
  std::vector<double> submit_profiled(Recording&) override { return {}; }
  void finish() override {}
  std::uint64_t allocated_bytes() const override { return 0; }

 private:
  DeviceFacts facts_;
};

struct FakeDevice {
  std::string name;
  DeviceClass device_class;
  bool is_broken = false;
};

class RegistryChoiceTest : public testing::Test {
 protected:
  // A back end whose devices are numbered as they come.
  void add(const std::string& name, const std::vector<FakeDevice>& devices,
           const std::vector<UnusableDriver>& failures = {}) {
    back_ends_.push_back({name, [this, name, devices, failures] {
                            loaded_.push_back(name);
                            BackEndDevices found{.failures = failures};
                            for (const FakeDevice& device : devices)
                              found.devices.push_back(candidate(name, found.devices.size(), device));
                            return found;
                          }});
  }
  void add_reference() { add("reference", {{"interpreter", DeviceClass::Reference}}); }
  Registry registry() const { return Registry(back_ends_); }
  std::string opened(std::string_view id = {}) {
    loaded_.clear();
    return registry().open(id)->facts().id;
  }

  std::vector<BackEnd> back_ends_;
  std::vector<std::string> loaded_;
  const ScopedVariable none_named_{"DRIFTWOOD_DEVICE", ""};

 private:
  static Candidate candidate(const std::string& back_end, std::size_t number, const FakeDevice& device) {
    DeviceFacts facts;
    facts.id = device.device_class == DeviceClass::Reference ? back_end : back_end + ":" + std::to_string(number);
    facts.name = device.name;
    facts.device_class = device.device_class;
    const auto open = [facts, device]() -> std::unique_ptr<Device> {
      if (device.is_broken) throw DeviceLost("The driver of '" + device.name + "' fails.");
      return std::make_unique<FactsAlone>(facts);
    };
    return {.id = facts.id, .name = device.name, .device_class = device.device_class, .open = open};
  }
};

TEST_F(RegistryChoiceTest, DiscreteComesBeforeIntegratedBeforeOtherGpusBeforeCpusBeforeTheReference) {
  const std::vector<FakeDevice> best_first = {{"board", DeviceClass::DiscreteGpu},
                                              {"laptop", DeviceClass::IntegratedGpu},
                                              {"accelerator", DeviceClass::OtherGpu},
                                              {"processor", DeviceClass::Cpu}};
  for (std::size_t first = 0; first <= best_first.size(); ++first) {
    back_ends_.clear();
    // Worst first, each from a back end of its own.
    add_reference();
    for (std::size_t i = best_first.size(); i-- > first;) add("api" + std::to_string(i), {best_first[i]});
    EXPECT_EQ(opened(), first < best_first.size() ? "api" + std::to_string(first) + ":0" : "reference");
  }
}

TEST_F(RegistryChoiceTest, OfEqualDevicesThatOfTheFirstBackEndIsTaken) {
  add("opencl", {{"NVIDIA H200", DeviceClass::DiscreteGpu}, {"NVIDIA H200", DeviceClass::DiscreteGpu}});
  add("webgpu", {{"NVIDIA H200", DeviceClass::DiscreteGpu}});
  EXPECT_EQ(opened(), "opencl:0");
  EXPECT_THAT(loaded_, ElementsAre("opencl")) << "with a discrete GPU found nothing further is loaded";
}

TEST_F(RegistryChoiceTest, AGpuIsOfTheBetterClassOfThoseItsDriversGive) {
  add("opencl", {{"NVIDIA GH200 480GB", DeviceClass::IntegratedGpu}});
  add("webgpu", {{"Other", DeviceClass::IntegratedGpu}, {"NVIDIA GH200 480GB (driver)", DeviceClass::DiscreteGpu}});
  EXPECT_EQ(opened(), "opencl:0");
  const std::vector<DeviceListing> listings = registry().list();
  ASSERT_EQ(listings.size(), 3u);
  EXPECT_EQ(listings[0].facts.id, "opencl:0");
  EXPECT_TRUE(listings[0].is_default);
  EXPECT_EQ(listings[1].facts.id, "webgpu:1");
  EXPECT_THAT(listings[1].note, HasSubstr("the same GPU is 'opencl:0'"));
}

TEST_F(RegistryChoiceTest, SoftwareIsOpenedOnlyByItsOwnId) {
  add("opencl", {});
  add("webgpu",
      {{"SwiftShader Device", DeviceClass::Software}, {"llvmpipe (LLVM 19, 256 bits)", DeviceClass::DiscreteGpu}});
  EXPECT_EQ(test::error_of([&] { opened(); }), "No device opens; 'driftwood devices' lists what was looked for.");
  EXPECT_THAT(test::error_of([&] { opened("webgpu"); }),
              AllOf(HasSubstr("named by its own id"), HasSubstr("'webgpu:1' (llvmpipe")));
  EXPECT_THROW(opened("webgpu"), InvalidInput);
  EXPECT_EQ(opened("webgpu:0"), "webgpu:0");
  EXPECT_EQ(opened("webgpu:1"), "webgpu:1");
  {
    const ScopedVariable named("DRIFTWOOD_DEVICE", "webgpu:1");
    EXPECT_EQ(opened(), "webgpu:1");
  }
  for (const DeviceListing& listing : registry().list()) {
    EXPECT_EQ(listing.facts.device_class, DeviceClass::Software);
    EXPECT_FALSE(listing.is_default);
    EXPECT_THAT(listing.note, HasSubstr("only where it is named"));
  }
  add_reference();
  EXPECT_EQ(opened(), "reference");
}

TEST_F(RegistryChoiceTest, OnlyWhatIsNamedIsLoaded) {
  add("opencl", {{"a", DeviceClass::IntegratedGpu}, {"b", DeviceClass::DiscreteGpu}});
  add("webgpu", {{"c", DeviceClass::DiscreteGpu}});
  add_reference();
  EXPECT_EQ(opened("opencl:0"), "opencl:0");
  EXPECT_THAT(loaded_, ElementsAre("opencl"));
  EXPECT_EQ(opened("reference"), "reference");
  EXPECT_THAT(loaded_, ElementsAre("reference"));
  EXPECT_EQ(opened("webgpu"), "webgpu:0");
  EXPECT_THAT(loaded_, ElementsAre("webgpu"));
  EXPECT_EQ(opened("opencl"), "opencl:1") << "the best of an API";
}

TEST_F(RegistryChoiceTest, TheEnvironmentNamesTheDefaultAndTheFlagComesBeforeIt) {
  add("opencl", {{"a", DeviceClass::DiscreteGpu}});
  add("webgpu", {{"b", DeviceClass::DiscreteGpu}, {"c", DeviceClass::DiscreteGpu}});
  const ScopedVariable named("DRIFTWOOD_DEVICE", "webgpu");
  EXPECT_EQ(opened(), "webgpu:0");
  EXPECT_EQ(opened("opencl:0"), "opencl:0");
  const std::vector<DeviceListing> listings = registry().list();
  std::vector<std::string> chosen;
  for (const DeviceListing& listing : listings) {
    if (listing.is_default) chosen.push_back(listing.facts.id);
    EXPECT_THAT(listing.note, HasSubstr("DRIFTWOOD_DEVICE is 'webgpu'"));
  }
  EXPECT_THAT(chosen, ElementsAre("webgpu:0"));
}

TEST_F(RegistryChoiceTest, AnUnknownIdNamesTheKnownOnes) {
  add("opencl", {{"a GPU", DeviceClass::DiscreteGpu}});
  add("webgpu", {});
  EXPECT_THAT(test::error_of([&] { opened("opencl:7"); }),
              AllOf(HasSubstr("no device 'opencl:7'"), HasSubstr("'opencl:0' (a GPU)"), HasSubstr("'webgpu'")));
  EXPECT_THAT(loaded_, ElementsAre("opencl"));
  EXPECT_THAT(test::error_of([&] { opened("webgpu:0"); }), HasSubstr("known of 'webgpu' are none"));
  EXPECT_THAT(test::error_of([&] { opened("cuda:0"); }), HasSubstr("known are 'opencl:0' (a GPU)"));
  for (const char* id : {"opencl:", ":0", "opencl:00", "opencl:0 ", "opencl:-1", "webgpu"}) {
    EXPECT_THROW(opened(id), InvalidInput) << id;
  }
}

TEST_F(RegistryChoiceTest, WhatDoesNotOpenIsPassedOverAndListedWithTheReason) {
  back_ends_.push_back({"metal", []() -> BackEndDevices { throw Unsupported("Metal is Apple's."); }});
  add("opencl", {{"broken", DeviceClass::DiscreteGpu, true}, {"laptop", DeviceClass::IntegratedGpu}},
      {{"libabsent.so", "It cannot be opened."}});
  EXPECT_EQ(opened(), "opencl:1");
  EXPECT_EQ(opened("opencl"), "opencl:1");
  EXPECT_THROW(opened("opencl:0"), DeviceLost) << "what is named is not replaced";
  EXPECT_THAT(test::error_of([&] { opened("metal"); }), HasSubstr("Metal is Apple's."));
  const std::vector<DeviceListing> listings = registry().list();
  ASSERT_EQ(listings.size(), 4u);
  EXPECT_TRUE(listings[0].is_default);
  EXPECT_EQ(listings[0].facts.id, "opencl:1");
  const auto failure = [&](std::size_t i) {
    return listings[i].facts.id + ", " + listings[i].facts.name + ": " + listings[i].failure;
  };
  EXPECT_EQ(failure(1), "opencl:0, broken: The driver of 'broken' fails.");
  EXPECT_EQ(failure(2), "metal, metal: Metal is Apple's.");
  EXPECT_EQ(failure(3), "opencl, libabsent.so: It cannot be opened.");
}

TEST(DeviceNamesTest, DriversWriteOneDeviceInSeveralWays) {
  EXPECT_TRUE(is_same_name("NVIDIA H200", "NVIDIA H200"));
  EXPECT_TRUE(is_same_name("Intel(R) Iris(R) Xe Graphics", "Intel Iris Xe Graphics (TGL GT2)"));
  EXPECT_TRUE(is_same_name("GeForce RTX 4090", "NVIDIA GeForce RTX 4090"));
  EXPECT_FALSE(is_same_name("NVIDIA H100", "NVIDIA H200"));
  EXPECT_FALSE(is_same_name("AMD Radeon RX 7600", "AMD Radeon RX 7900"));
  EXPECT_FALSE(is_same_name("", "NVIDIA H200"));
  EXPECT_FALSE(is_same_name("(R)", "(R)"));
}

TEST(DeviceNamesTest, SoftwareIsKnownByName) {
  for (const char* name : {"llvmpipe (LLVM 15.0.6, 256 bits)", "SwiftShader Device (Subzero)", "lavapipe",
                           "Microsoft Basic Render Driver"})
    EXPECT_TRUE(is_software_name(name)) << name;
  for (const char* name : {"NVIDIA H200", "cpu-haswell-Intel(R) Xeon(R)", "Apple M2", ""})
    EXPECT_FALSE(is_software_name(name)) << name;
}

}  // namespace
}  // namespace driftwood::gpu
