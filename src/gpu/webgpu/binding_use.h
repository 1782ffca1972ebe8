// What WebGPU's rules make of the bindings of one dispatch.
//
// A buffer that a dispatch writes must be bound as writable everywhere in that dispatch, and writable bindings must not
// overlap. Work in place and buffers that hold several objects do both; they get a variant of their kernel, in which
// resources that only read are declared as writable, and resources of the same range share one declaration. So do those
// that begin at the same byte and differ in size, as what a kernel reaches is known by its coordinates; only where it
// asks for the length of an array must the sizes be the same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace driftwood::gpu::webgpu {

/// How one resource of a kernel is declared in a variant.
struct BindingUse {
  bool read_write = false;                          // though the kernel only reads it
  std::optional<std::size_t> alias = std::nullopt;  // the resource of lower index whose binding serves it
  bool operator==(const BindingUse&) const = default;
  auto operator<=>(const BindingUse&) const = default;
};

/// What a resource is bound to.
struct BoundRange {
  std::string_view name;         // of the resource, for messages
  const void* object = nullptr;  // buffer or texture
  std::uint64_t offset = 0, size = 0;
  bool is_buffer = true;
  bool is_uniform = false;
  bool writes = false;
  bool has_length = false;  // the kernel asks for the length of its array
};

/// One use for each range; an alias may be longer than what it refers to. Throws InvalidInput, naming both, where two
/// bindings overlap in part and one writes into their buffer, where a buffer is written and bound as uniform, or where
/// a texture is read and written.
std::vector<BindingUse> resolve_uses(std::span<const BoundRange> ranges);

}  // namespace driftwood::gpu::webgpu
