// Passes that make a compiled module fit what a device can be given: workgroups along an axis, bytes of a binding.
//
// They follow compile(), each may be called alone, and each leaves a module that is optimised.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shader/ir.h"

namespace driftwood::shader {

/// The grid of workgroups that a kernel is written for, where the device launches another because it runs fewer groups
/// along an axis.
struct FoldedGrid {
  /// fixed * ceil(tokens * rows_per_token / rows_per_group) * ceil((position + tokens) / context_per_group) groups; a
  /// zero divisor leaves its factor out.
  struct Extent {
    std::uint32_t fixed = 1;
    std::uint32_t rows_per_group = 0;
    std::uint32_t rows_per_token = 1;
    std::uint32_t context_per_group = 0;
    bool operator==(const Extent&) const = default;
  };
  std::array<Extent, 3> extents = {};
  /// The kernel's uniform buffer whose first two words are tokens and position; where it has none of the name, it gets
  /// one called own_parameters.
  std::string parameters = "parameters";
  static constexpr const char* own_parameters = "grid_parameters";
};

/// A kernel for the grid `grid`, launched as any other of at least as many workgroups: groups are counted x first, the
/// count says which of the wanted grid's each is, and those beyond its end do nothing. The wanted grid may have 2^31
/// groups.
void fold_grid(Module& module, const FoldedGrid& grid);

/// A resource that is a part of a larger buffer.
struct BufferPart {
  std::string name;  // the resource's
  std::string of;    // the name of the resource it was made of
  std::uint64_t offset = 0, bytes = 0;
};

/// Buffers of more than `max_bytes` become several resources of at most as many bytes, each but the last a multiple of
/// `alignment` and of the element's size; accesses choose by the index, in functions where it is not known. The sizes
/// of weights and objects follow from their descriptors, those of plain buffers (`array<u32>`) from `buffer_bytes`.
/// Returns the parts that the kernel uses. Throws Unsupported for such a buffer that is used other than by elements
/// (atomics).
std::vector<BufferPart> split_bindings(Module& module, std::uint64_t max_bytes, std::uint64_t alignment,
                                       const std::map<std::string, std::uint64_t>& buffer_bytes = {});

}  // namespace driftwood::shader
