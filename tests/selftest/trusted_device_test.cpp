// The record of a self-test: read at the second start, and a miss where it is damaged or of another driver.
#include "selftest/trusted_device.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "formats/temporary_folder.h"
#include "gpu/reference/reference_device.h"
#include "selftest/faulty_device.h"
#include "support/error_of.h"

namespace driftwood::selftest {
namespace {

using test::Faults;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TrustedDevice : public ::testing::Test {
 protected:
  std::unique_ptr<gpu::Device> open(const Opener& opener = {}) {
    warnings_.clear();
    faults_->compiled = 0;
    const Opener faulty = [this]() -> std::unique_ptr<gpu::Device> {
      return std::make_unique<test::FaultyDevice>(gpu::make_reference_device({.is_cpu = true}), faults_);
    };
    return trusted_device(opener ? opener : faulty,
                          {.scope = Scope::Images,
                           .records = Records(folder_.path() / "records"),
                           .warn = [this](const std::string& line) { warnings_.push_back(line); }});
  }
  /// The one file of the record.
  std::filesystem::path file() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "records")) files.push_back(entry);
    EXPECT_EQ(files.size(), 1U);
    return files.at(0);
  }

  driftwood::testing::TemporaryFolder folder_;
  std::shared_ptr<Faults> faults_ = std::make_shared<Faults>(Faults{.miscompiled = {"conv_wide"}});
  std::vector<std::string> warnings_;
};

TEST_F(TrustedDevice, IsTestedOnceAndRemembersWhatWasWrong) {
  const auto first = open();
  EXPECT_GT(faults_->compiled, 5U);
  EXPECT_THAT(first->facts().distrusted_kernels, ElementsAre("linear-image-wide", "conv-wide"));
  ASSERT_THAT(warnings_, ::testing::SizeIs(2));
  EXPECT_THAT(warnings_[1], ::testing::AllOf(HasSubstr("the self-test of 'faulty:0' finds that 'conv-wide' gives wrong "
                                                       "numbers ("),
                                             HasSubstr("used instead: conv-tiled")));
  const std::vector<std::string> said = warnings_;
  const auto second = open();
  EXPECT_EQ(faults_->compiled, 0U) << "the record is read";
  EXPECT_EQ(second->facts().distrusted_kernels, first->facts().distrusted_kernels);
  EXPECT_EQ(warnings_, said);
}

TEST_F(TrustedDevice, IsTakenAsItIsWhereAllIsRight) {
  faults_->miscompiled.clear();
  const auto device = open();
  EXPECT_NE(dynamic_cast<test::FaultyDevice*>(device.get()), nullptr);
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_GT(faults_->compiled, 0U);
  open();
  EXPECT_EQ(faults_->compiled, 0U);
}

TEST_F(TrustedDevice, IsTestedAnewWithAnotherDriverOrAnotherLimit) {
  open();
  faults_->lies = [](gpu::DeviceFacts& facts) { facts.driver = "2"; };
  open();
  EXPECT_GT(faults_->compiled, 0U);
  faults_->lies = [](gpu::DeviceFacts& facts) { facts.local_memory = 16 << 10; };
  open();
  EXPECT_GT(faults_->compiled, 0U);
  faults_->lies = {};
  open();
  EXPECT_EQ(faults_->compiled, 0U) << "the records of all are kept";
}

TEST_F(TrustedDevice, ARecordHoldsWhateverMemoryIsFree) {
  gpu::DeviceFacts facts = gpu::make_reference_device({})->facts();
  facts.global_memory = std::uint64_t{8} << 30;
  facts.max_allocation = std::uint64_t{2} << 30;
  const std::string key = record_key(facts, Scope::Images);
  facts.global_memory -= 1 << 20;
  facts.max_allocation -= 1 << 20;
  EXPECT_EQ(record_key(facts, Scope::Images), key);
  facts.local_memory /= 2;
  EXPECT_NE(record_key(facts, Scope::Images), key);
}

TEST_F(TrustedDevice, ADamagedRecordIsAMiss) {
  open();
  std::stringstream whole;
  whole << std::ifstream(file()).rdbuf();
  const std::string text = whole.str();
  std::string lying = text;
  lying.replace(lying.find("\"conv-wide\""), 11, "\"conv-tile\"");
  std::string future = text;
  future.replace(future.find("\"format\":1"), 10, "\"format\":9");
  const Records records(folder_.path() / "records");
  const std::string key =
      record_key(test::FaultyDevice(gpu::make_reference_device({.is_cpu = true}), faults_).facts(), Scope::Images);
  ASSERT_TRUE(records.load(key));
  for (const std::string& damaged :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"), std::string("{\"format\":1}"),
        std::string(100000, '['), text.substr(0, text.size() / 2), lying, future,
        std::string("{\"format\":1,\"key\":5,\"report\":[],\"checksum\":{}}"), std::string(2 << 20, ' ') + text,
        "\xff" + text}) {
    std::ofstream(file(), std::ios::binary) << damaged;
    EXPECT_FALSE(records.load(key)) << damaged.substr(0, 60);
  }
  open();
  EXPECT_GT(faults_->compiled, 0U);
  EXPECT_TRUE(records.load(key)) << "and is written anew";
}

TEST_F(TrustedDevice, ALossIsNotRemembered) {
  faults_->miscompiled.clear();
  faults_->losing = {"layer_norm"};
  EXPECT_THAT(open()->facts().distrusted_kernels, ElementsAre("layer-norm"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("'layer-norm' loses the device")));
  faults_->losing.clear();
  EXPECT_THAT(open()->facts().distrusted_kernels, IsEmpty());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(TrustedDevice, ALossForGoodIsATypedError) {
  for (std::size_t i = 0; i < 100; ++i) faults_->lost_at.insert(i);
  EXPECT_THAT(test::error_of([&] { open(); }), HasSubstr("The device 'faulty:0' is lost in its self-test: The device"));
  faults_->lost_at.clear();
  EXPECT_NE(open(), nullptr) << "the next load in the same process works";
}

TEST_F(TrustedDevice, RecordsThatCannotBeWrittenCostATestEach) {
  const auto file = folder_.write("records", "not a folder");
  open();
  EXPECT_GT(faults_->compiled, 0U);
  open();
  EXPECT_GT(faults_->compiled, 0U);
}

TEST_F(TrustedDevice, TheReferenceIsNotTested) {
  const auto device = open([] { return gpu::make_reference_device(); });
  EXPECT_EQ(device->facts().id, "reference");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "records"));
}

}  // namespace
}  // namespace driftwood::selftest
