// Errors in kernel source, shown the way a compiler shows them:
//
//   kernels/norm.wgsl:12:9: error: 'scale' is not declared.
//     let y = scale * x;
//             ^~~~~
//   kernels/norm.wgsl:3:1: note: ...
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "shader/source.h"

namespace driftwood::shader {

/// Line and column from 1; columns count code points.
struct SourcePosition {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

SourcePosition position_of(const SourceFile& file, std::uint32_t offset);

/// A second place that explains an error, such as the declaration a name refers to.
struct Note {
  SourceRange range;
  std::string message;
};

/// A kernel that does not compile. message() is the whole text as above, without a final line break.
class CompileError : public InvalidInput {
 public:
  CompileError(const SourceFiles& files, SourceRange range, std::string_view summary,
               const std::vector<Note>& notes = {});

  SourceRange range() const { return range_; }
  /// The sentence alone, without position and source line.
  const std::string& summary() const { return summary_; }

 private:
  SourceRange range_;
  std::string summary_;
};

/// "file:line:column: severity: message", the source line and a caret line. Also used for findings at run time.
std::string format_diagnostic(const SourceFiles& files, SourceRange range, std::string_view severity,
                              std::string_view message);

}  // namespace driftwood::shader
