// The memory of an output or a state under test: the tensor, and guard words beside it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/case.h"
#include "gpu/amended_device.h"
#include "graph/graph.h"

namespace driftwood::conformance {

/// A buffer has guard words on both sides of the tensor; an image is larger than the tensor along each of its axes,
/// where the device can bind a larger one. All of it holds a pattern, or what the problem says is there before.
class Guarded {
 public:
  Guarded(gpu::Device& device, const graph::Value& value, const Problem& problem);

  const gpu::Binding& binding() const { return binding_; }
  /// The values before and after the run, padding channels included. `fault`: what is written beside the tensor.
  std::vector<float> before() const;
  std::vector<float> after(std::string& fault) const;

 private:
  std::vector<float> values(const std::vector<std::byte>& whole) const;
  bool is_tensor(std::size_t byte) const;

  gpu::Device& device_;
  graph::Value value_;
  std::uint64_t guard_ = 0;  // bytes on each side of a buffer
  // Bytes of a texel, extents of the tensor and of the object; of a buffer all 1.
  std::size_t texel_ = 1;
  std::array<std::uint32_t, 3> extent_ = {1, 1, 1}, object_ = {1, 1, 1};
  gpu::Binding binding_;
  std::vector<std::byte> before_;  // all of the object
};

/// A device whose memory holds NaN in every type until it is written: what a kernel must not read shows in its results.
/// Where nothing is to be done it dispatches no workgroup. The reference device finds such reads by itself.
class PoisonedDevice : public gpu::AmendedDevice {
 public:
  PoisonedDevice(gpu::Device& device, bool is_idle) : AmendedDevice(device, device.facts()), is_idle_(is_idle) {}
  std::shared_ptr<gpu::Memory> allocate(const gpu::MemoryDescriptor& descriptor) override;
  std::unique_ptr<gpu::Recording> record(std::vector<gpu::Dispatch> dispatches) override;

 private:
  bool is_idle_;
};

}  // namespace driftwood::conformance
