// Kernels in pairs: written in the kernel language, where how a tensor is stored never shows, and by hand for each kind
// of storage, in the device's own language with the same body and plain indices.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tensor/descriptor.h"

namespace driftwood::measure {

struct AccessKernel {
  std::string_view name;
  const char* text;         // in the kernel language: tensors x, other, gamma and y, of which it may use some
  const char* opencl_body;  // of the kernel by hand, with LOAD(t, row, column, s) and STORE
  const char* wgsl_body;    // with load_T(row, column, s) and store_y
  bool uses_other, uses_gamma;
  bool covers_positions;  // an invocation does all channels of a position; else one slice of one
};

/// A sum of products, a window of three by three, a norm over the channels.
std::span<const AccessKernel> access_kernels();

enum class HandLanguage { OpenCl, Wgsl };

/// The whole source by hand, its entry point "by_hand". Nothing where the language has no such storage.
std::optional<std::string> hand_written(const AccessKernel& kernel, HandLanguage language,
                                        const TensorDescriptor& tensor, std::array<std::uint32_t, 2> workgroup);

}  // namespace driftwood::measure
