// NVIDIA's driver compiles OpenCL C for targets without the features of one architecture alone (sm_90, not sm_90a), so
// that wgmma is refused; but its binaries are PTX text, and PTX for the other target is loaded as a binary.
// Instructions that need that target stand in the source as comments of inline assembly, which begin with //@.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace driftwood::gpu::opencl {

/// Whether the source holds such instructions.
bool needs_edited_ptx(std::string_view source);

/// The binary with these instructions and their target; nothing where it is no PTX text for sm_90.
std::optional<std::vector<std::byte>> edited_ptx(std::span<const std::byte> binary);

}  // namespace driftwood::gpu::opencl
