// The table that cmake/embed.cmake generates from src/kernels/**/*.wgsl.
#pragma once

#include <span>
#include <string_view>

namespace driftwood::kernels {

struct EmbeddedFile {
  std::string_view path;  // "formats/q4_1.wgsl"
  std::string_view text;
};

/// Sorted by path.
std::span<const EmbeddedFile> embedded_files();

}  // namespace driftwood::kernels
