// A decoded token as one launch gives the numbers of a launch a kernel, whatever the grids that change with positions.
#include <gtest/gtest.h>

#include <vector>

#include "gpu/amended_device.h"
#include "gpu/launch_gave_up.h"
#include "llm/generate.h"
#include "support/devices.h"

namespace driftwood::llm {
namespace {

// A device on which one launch of several kernels ends early: that before the given read.
class GivingUp final : public gpu::AmendedDevice {
 public:
  explicit GivingUp(gpu::Device& device) : AmendedDevice(device, device.facts()) {}
  /// The read, counted from here, before which it happens.
  void give_up_before(int read) { left_ = read; }

  std::unique_ptr<gpu::PendingRead> read_later(const gpu::Memory& memory, std::uint64_t offset,
                                               std::size_t size) override {
    if (left_-- == 0) return std::make_unique<Fault>();
    return AmendedDevice::read_later(memory, offset, size);
  }
  bool has_given_up() const { return left_ < 0; }

 private:
  struct Fault final : gpu::PendingRead {
    std::span<const std::byte> wait() override { throw gpu::LaunchGaveUp("A launch gave up."); }
  };
  int left_ = 0;
};

TEST(JoinedDecode, RepeatsTheStepWhoseLaunchGaveUp) {
  gpu::Device* const device = test::device("opencl:0");
  if (device == nullptr) GTEST_SKIP() << "This machine has no OpenCL device.";
  const auto checkpoint = models::Checkpoint::open(DRIFTWOOD_TEST_DATA "/llm/gemma3-local");
  const std::vector<std::int32_t> prompt = {5, 6, 7, 2, 8};
  const GenerateSettings settings{
      .max_tokens = 14, .sampler = {.temperature = 0.9F, .top_k = 20, .seed = 3}, .sampling = SamplingPlace::Device};
  GivingUp failing(*device);
  Session session(failing, checkpoint, {.context = 40});
  std::vector<std::int32_t> expected;
  constexpr int never = 1000;
  for (const int read : {never, 0, 5}) {
    session.reset();
    failing.give_up_before(read);
    const std::vector<std::int32_t> tokens = generate(session, nullptr, prompt, settings).tokens;
    EXPECT_EQ(failing.has_given_up(), read != never);
    if (expected.empty()) expected = tokens;
    EXPECT_EQ(tokens, expected) << "the launch before read " << read;
  }
}

TEST(JoinedDecode, GivesTheNumbersOfLaunchesOfTheirOwn) {
  gpu::Device* const device = test::device("opencl:0");
  if (device == nullptr) GTEST_SKIP() << "This machine has no OpenCL device.";
  const auto checkpoint = models::Checkpoint::open(DRIFTWOOD_TEST_DATA "/llm/gemma3-local");
  const auto session_with = [&](graph::DecodeLaunches launches) {
    return Session(*device, checkpoint, {.context = 40, .options = {.decode_launches = launches}});
  };
  Session one = session_with(graph::DecodeLaunches::One);
  Session many = session_with(graph::DecodeLaunches::Many);
  EXPECT_TRUE(one.decode_program().is_joined());
  EXPECT_FALSE(many.decode_program().is_joined());
  const std::vector<std::int32_t> prompt = {5, 6, 7, 2, 8};
  EXPECT_EQ(one.feed(prompt), many.feed(prompt));
  for (std::int32_t i = 0; i < 30; ++i) {
    const std::int32_t token = (i * 11 + 3) % 64;
    EXPECT_EQ(one.feed(std::span(&token, 1)), many.feed(std::span(&token, 1))) << "token " << i;
  }
  one.reset();
  many.reset();
  const GenerateSettings settings{.max_tokens = 12, .sampler = {.temperature = 0}, .sampling = SamplingPlace::Device};
  EXPECT_EQ(generate(one, nullptr, prompt, settings).tokens, generate(many, nullptr, prompt, settings).tokens);
}

}  // namespace
}  // namespace driftwood::llm
