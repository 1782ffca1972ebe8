#include "gpu/device_limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <type_traits>

#include "base/error.h"

namespace driftwood::gpu {
namespace {

[[noreturn]] void refuse(const DeviceFacts& facts, std::string_view name, const std::string& value,
                         const std::string& own) {
  throw InvalidInput(
      fmt::format("The limit '{}' of {} cannot be imposed on the device '{}': {}.", name, value, facts.id, own));
}

void impose(const DeviceFacts& facts, std::string_view name, LimitKind, std::uint64_t, bool value, bool& own) {
  if (value && !own) refuse(facts, name, "true", "it has none, and a limit only takes away");
  own = value;
}

template <class Number>
void impose(const DeviceFacts& facts, std::string_view name, LimitKind kind, std::uint64_t least, Number value,
            Number& own) {
  const std::string text = fmt::format("{}", value);
  if (value < least) refuse(facts, name, text, fmt::format("the least is {}", least));
  switch (kind) {
    case LimitKind::OrNone:
      if (own == 0) break;
      [[fallthrough]];
    case LimitKind::AtMost:
      if (value > own) refuse(facts, name, text, fmt::format("its own is {}", own));
      break;
    case LimitKind::AtLeast:
      if (!std::has_single_bit(value)) refuse(facts, name, text, "a power of two can be");
      own = std::max(own, value);
      return;
    case LimitKind::Same:
      if (value != own && value != 1) refuse(facts, name, text, fmt::format("its own {} cannot be changed", own));
      break;
    case LimitKind::Absent: break;
  }
  own = value;
}

template <class Number, std::size_t N>
void impose(const DeviceFacts& facts, std::string_view name, LimitKind kind, std::uint64_t least,
            const std::array<Number, N>& value, std::array<Number, N>& own) {
  for (std::size_t axis = 0; axis < N; ++axis)
    impose(facts, fmt::format("{}[{}]", name, axis), kind, least, value[axis], own[axis]);
}

}  // namespace

DeviceFacts limited_facts(const DeviceFacts& facts, const DeviceLimits& limits) {
  DeviceFacts result = facts;
  for_each_limit([&](std::string_view name, auto limit, auto fact, LimitKind kind, int least) {
    if (const auto& value = limits.*limit)
      impose(facts, name, kind, static_cast<std::uint64_t>(least), *value, result.*fact);
  });
  // What stands on something that is taken away goes with it.
  if (!result.has_subgroups || result.subgroup_size <= 1) {
    result.has_subgroups = result.has_matrices = false;
    result.subgroup_size = 1;
    result.pipeline_memory = 0;
  }
  if (limits.local_memory) result.pipeline_memory = std::min(result.pipeline_memory, *limits.local_memory);
  if (!result.has_images) {
    result.has_3d_image_writes = false;
    result.max_image_buffer = 0;
    result.max_image_2d = {};
    result.max_image_3d = {};
    result.max_image_layers = 0;
  }
  for (std::uint32_t& extent : result.max_workgroup_extent) extent = std::min(extent, result.max_workgroup_size);
  return result;
}

}  // namespace driftwood::gpu
