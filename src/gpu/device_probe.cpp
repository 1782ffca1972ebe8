#include "gpu/device_probe.h"

#include <span>
#include <utility>

namespace driftwood::gpu {

std::vector<std::uint32_t> run_probe(Device& device, const ProbeKernel& probe) {
  std::vector<std::uint32_t> written(probe.outputs, 0xDEADBEEF);  // which no right answer holds
  std::vector<Binding> bindings;
  for (const auto* words : {&probe.input, static_cast<const std::vector<std::uint32_t>*>(&written)}) {
    if (words->empty()) continue;
    const auto memory = device.allocate({.bytes = 4 * words->size()});
    device.write(*memory, 0, std::as_bytes(std::span(*words)));
    bindings.push_back({.memory = memory});
  }
  const auto output = bindings.back().memory;
  std::vector<Dispatch> dispatches(1);
  dispatches[0] = {.kernel = device.compile(probe.module, "probe"), .bindings = std::move(bindings), .label = "probe"};
  const auto recording = device.record(std::move(dispatches));
  device.submit(*recording);
  device.read(*output, 0, std::as_writable_bytes(std::span(written)));
  return written;
}

}  // namespace driftwood::gpu
