#include "shader/interpreter/sanitizer_error.h"

#include <algorithm>

namespace driftwood::shader {

std::string_view to_string(SanitizerKind kind) {
  switch (kind) {
    case SanitizerKind::OutOfBounds: return "out of bounds";
    case SanitizerKind::UnwrittenRead: return "unwritten read";
    case SanitizerKind::DataRace: return "data race";
    case SanitizerKind::DivergentBarrier: return "divergent barrier";
    case SanitizerKind::DivergentMatrix: return "divergent matrix";
    case SanitizerKind::MisalignedMatrix: return "misaligned matrix";
    case SanitizerKind::AddressOverflow: return "address overflow";
    case SanitizerKind::RunawayLoop: return "runaway loop";
  }
  return "unknown";
}

std::string source_text(const SourceFiles& sources, const SourceRange& range) {
  constexpr std::size_t longest = 60;
  if (range.file >= sources.size() || !sources[range.file]) return {};
  const std::string& text = sources[range.file]->text;
  const std::size_t begin = std::min<std::size_t>(range.begin, text.size());
  std::string part = text.substr(begin, std::max<std::size_t>(range.end, begin) - begin);
  for (char& c : part) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  if (part.size() > longest) part = part.substr(0, longest - 3) + "...";
  return part;
}

}  // namespace driftwood::shader
