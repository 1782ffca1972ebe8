// Kernel source text and positions in it. Every stage keeps positions, so that an error found late (a type
// error, an out-of-bounds access in the interpreter) still points at the line the author wrote.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace driftwood::shader {

struct SourceFile {
  std::string name;  // as shown in messages, e.g. "kernels/matvec.wgsl"
  std::string text;  // UTF-8
};

/// A half-open byte range of one file; `file` indexes the SourceFiles of the module at hand.
struct SourceRange {
  std::uint16_t file = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

using SourceFiles = std::vector<std::shared_ptr<const SourceFile>>;

}  // namespace driftwood::shader
