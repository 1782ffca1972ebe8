#include "gpu/webgpu/binding_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace driftwood::gpu::webgpu {
namespace {

std::string described(const BoundRange& range) {
  return fmt::format("'{}' ({} bytes from {})", range.name, range.size, range.offset);
}

bool overlaps(const BoundRange& a, const BoundRange& b) {
  return a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

}  // namespace

std::vector<BindingUse> resolve_uses(std::span<const BoundRange> ranges) {
  std::vector<BindingUse> uses(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const BoundRange& range = ranges[i];
    const auto writer = std::find_if(ranges.begin(), ranges.end(), [&](const BoundRange& other) {
      return other.object == range.object && other.writes;
    });
    if (writer == ranges.end()) continue;
    if (!range.is_buffer) {
      if (&*writer != &range) {
        throw InvalidInput(
            fmt::format("The texture bound to '{}' is written through '{}' in the same dispatch, which WebGPU forbids.",
                        range.name, writer->name));
      }
      continue;
    }
    if (range.is_uniform) {
      throw InvalidInput(fmt::format(
          "The buffer of the uniform binding '{}' is written through '{}' in the same dispatch, which WebGPU "
          "forbids.",
          range.name, writer->name));
    }
    uses[i].read_write = !range.writes;
    for (std::size_t j = 0; j < i; ++j) {
      const BoundRange& other = ranges[j];
      if (other.object != range.object || uses[j].alias || !overlaps(range, other)) continue;
      const bool is_measured = range.size != other.size && (range.has_length || other.has_length);
      if (range.offset != other.offset || is_measured) {
        throw InvalidInput(
            fmt::format("The bindings {} and {} overlap in part, and '{}' writes into their buffer; WebGPU allows "
                        "them to be apart or to begin together.",
                        described(other), described(range), writer->name));
      }
      uses[i].alias = j;
      break;
    }
  }
  return uses;
}

}  // namespace driftwood::gpu::webgpu
