// Devices whose bindings reach a few hundred bytes and that launch a few workgroups along an axis: every operation's
// numbers stay right, because buffers are bound in parts and grids are folded.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "conformance/check.h"
#include "conformance/claiming_device.h"
#include "kernels/source.h"
#include "support/devices.h"

namespace driftwood::conformance {
namespace {

constexpr std::uint64_t max_binding = 512;
constexpr std::array<std::uint32_t, 3> max_groups = {3, 2, 65535};

class NarrowDevice final : public test::ClaimingDevice {
 public:
  NarrowDevice(gpu::Device& device, bool is_cpu) : ClaimingDevice(device, is_cpu), narrow_(ClaimingDevice::facts()) {
    narrow_.max_binding = max_binding;
    narrow_.max_workgroup_count = max_groups;
  }

  const gpu::DeviceFacts& facts() const override { return narrow_; }

  std::unique_ptr<gpu::Recording> record(std::vector<gpu::Dispatch> dispatches) override {
    for (const gpu::Dispatch& dispatch : dispatches) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (dispatch.workgroups[axis] > max_groups[axis]) throw InvalidInput("A grid exceeds the limit.");
      }
      for (std::size_t i = 0; i < dispatch.bindings.size(); ++i) {
        const gpu::Binding& binding = dispatch.bindings[i];
        if (binding.memory->descriptor().kind != StorageKind::Buffer) continue;
        const std::uint64_t whole = binding.memory->descriptor().bytes;
        const std::uint64_t size = binding.size != 0 ? binding.size : whole - binding.offset;
        if (size > max_binding) {
          throw InvalidInput(fmt::format("Binding {} of '{}' takes {} bytes.", i, dispatch.kernel->name(), size));
        }
        most_bindings = std::max(most_bindings, dispatch.bindings.size());
      }
    }
    return ClaimingDevice::record(std::move(dispatches));
  }

  std::size_t most_bindings = 0;

 private:
  gpu::DeviceFacts narrow_;
};

struct Machine {
  std::string device;
  bool is_cpu;
  std::size_t every;  // of the sample's cases, every so many
};

void PrintTo(const Machine& machine, std::ostream* stream) {
  *stream << machine.device << (machine.is_cpu ? " as cpu" : " as gpu");
}

class NarrowLimits : public testing::TestWithParam<Machine> {};

TEST_P(NarrowLimits, EveryKernelComputesTheSame) {
  const Machine& machine = GetParam();
  gpu::Device* const device = test::device(machine.device);
  if (device == nullptr) GTEST_SKIP() << "no device " << machine.device;
  NarrowDevice narrow(*device, machine.is_cpu);
  const Subject subject{narrow, std::make_shared<graph::KernelCache>(narrow, kernels::source)};
  const std::vector<Case> sample = covering_sample(all_cases(), narrow.facts(), Coverage::Kernels);
  std::size_t faults = 0, count = 0;
  for (std::size_t i = 0; i < sample.size() && faults < 8; i += machine.every) {
    const Verdict verdict = check(subject, sample[i], 11);
    ++count;
    if (verdict.judgement == Judgement::Right) continue;
    ++faults;
    ADD_FAILURE() << describe(sample[i]) << "\n  " << verdict.message;
  }
  RecordProperty("cases", static_cast<int>(count));
  EXPECT_GT(count, 3U);
  EXPECT_GT(narrow.most_bindings, 8U);  // parts were bound
}

INSTANTIATE_TEST_SUITE_P(Kernels, NarrowLimits,
                         testing::Values(Machine{"reference", false, 1}, Machine{"reference", true, 1},
                                         Machine{"opencl:0", true, 9}));

}  // namespace
}  // namespace driftwood::conformance
