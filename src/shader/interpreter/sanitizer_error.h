// A fault of a running kernel that the interpreter saw, with the source line it happened on.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "shader/source.h"

namespace driftwood::shader {

enum class SanitizerKind : std::uint8_t {
  OutOfBounds,       // an index or coordinate outside its array, vector, buffer or image
  UnwrittenRead,     // memory read that nothing wrote
  DataRace,          // two invocations, one word, a write among them, nothing between that orders them
  DivergentBarrier,  // a barrier that not every invocation of the workgroup reaches
  DivergentMatrix,   // a matrix that not every invocation of the subgroup handles, or with another offset or stride
  MisalignedMatrix,  // a matrix at an offset or with a stride that matrix units cannot read
  AddressOverflow,   // 32-bit arithmetic that wraps on its way into an index or coordinate
  RunawayLoop,       // the loop limit is exceeded
};

/// "out of bounds", "data race" and so on.
std::string_view to_string(SanitizerKind kind);

class SanitizerError : public InvalidInput {
 public:
  SanitizerError(SanitizerKind kind, std::string message, std::array<std::uint32_t, 3> workgroup,
                 std::array<std::uint32_t, 3> invocation)
      : InvalidInput(std::move(message)), sanitizer_kind_(kind), workgroup_(workgroup), invocation_(invocation) {}

  SanitizerKind sanitizer_kind() const { return sanitizer_kind_; }
  /// workgroup_id and local_invocation_id of the invocation at fault.
  std::array<std::uint32_t, 3> workgroup() const { return workgroup_; }
  std::array<std::uint32_t, 3> invocation() const { return invocation_; }

 private:
  SanitizerKind sanitizer_kind_;
  std::array<std::uint32_t, 3> workgroup_, invocation_;
};

/// The text that a range covers, on one line and at most 60 bytes ("..." for what is cut).
std::string source_text(const SourceFiles& sources, const SourceRange& range);

}  // namespace driftwood::shader
