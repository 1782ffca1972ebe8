#include "shader/diagnostics.h"

#include <algorithm>

namespace driftwood::shader {

namespace {

// Longer source lines are cut to a window around the error.
constexpr std::size_t max_excerpt = 160;
constexpr std::size_t context_before = 60;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

struct Line {
  std::size_t begin, end;
};

Line line_around(std::string_view text, std::size_t offset) {
  const auto before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const auto after = text.find('\n', offset);
  Line line = {before == std::string_view::npos ? 0 : before + 1,
               after == std::string_view::npos ? text.size() : after};
  if (line.end > line.begin && text[line.end - 1] == '\r') --line.end;
  return line;
}

/// One character cell for every code point: control characters and broken UTF-8 become '?', tabs a space.
std::string printable(std::string_view text, std::size_t& cells) {
  std::string shown;
  cells = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 0;
    bool whole = length > 0 && i + length <= text.size();
    for (std::size_t k = 1; whole && k < length; ++k) whole = is_continuation(text[i + k]);
    if (!whole || (length == 1 && (lead < 0x20 || lead == 0x7F))) {
      shown += lead == '\t' ? ' ' : '?';
      i += 1;
    } else {
      shown += text.substr(i, length);
      i += length;
    }
    ++cells;
  }
  return shown;
}

}  // namespace

SourcePosition position_of(const SourceFile& file, std::uint32_t offset) {
  const std::string_view text = file.text;
  const std::size_t at = std::min<std::size_t>(offset, text.size());
  const Line line = line_around(text, at);
  SourcePosition position;
  position.line += static_cast<std::uint32_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(line.begin), '\n'));
  std::size_t cells = 0;
  printable(text.substr(line.begin, at - line.begin), cells);
  position.column += static_cast<std::uint32_t>(cells);
  return position;
}

std::string format_diagnostic(const SourceFiles& files, SourceRange range, std::string_view severity,
                              std::string_view message) {
  std::string out;
  if (range.file >= files.size()) return std::string(severity) + ": " + std::string(message);
  const SourceFile& file = *files[range.file];
  const std::string_view text = file.text;
  const std::size_t begin = std::min<std::size_t>(range.begin, text.size());
  const SourcePosition position = position_of(file, range.begin);
  out = file.name + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) + ": " +
        std::string(severity) + ": " + std::string(message);

  Line line = line_around(text, begin);
  const std::size_t end = std::clamp<std::size_t>(range.end, begin, std::max(begin, line.end));
  bool cut_left = false;
  bool cut_right = false;
  if (line.end - line.begin > max_excerpt) {
    if (begin - line.begin > context_before) {
      line.begin = begin - context_before;
      while (line.begin < begin && is_continuation(text[line.begin])) ++line.begin;
      cut_left = true;
    }
    if (line.end - line.begin > max_excerpt) {
      line.end = line.begin + max_excerpt;
      while (line.end > begin && line.end < text.size() && is_continuation(text[line.end])) --line.end;
      cut_right = true;
    }
  }
  std::size_t cells = 0;
  std::size_t before = 0;
  std::size_t under = 0;
  const std::string excerpt = printable(text.substr(line.begin, line.end - line.begin), cells);
  printable(text.substr(line.begin, begin - line.begin), before);
  const std::size_t last = std::min(end, line.end);
  printable(text.substr(begin, last > begin ? last - begin : 0), under);
  out += "\n  " + std::string(cut_left ? "..." : "") + excerpt + (cut_right ? "..." : "");
  out += "\n  " + std::string(before + (cut_left ? 3 : 0), ' ') + "^" + std::string(under > 1 ? under - 1 : 0, '~');
  return out;
}

namespace {

std::string whole_text(const SourceFiles& files, SourceRange range, std::string_view summary,
                       const std::vector<Note>& notes) {
  std::string text = format_diagnostic(files, range, "error", summary);
  for (const Note& note : notes) text += "\n" + format_diagnostic(files, note.range, "note", note.message);
  return text;
}

}  // namespace

CompileError::CompileError(const SourceFiles& files, SourceRange range, std::string_view summary,
                           const std::vector<Note>& notes)
    : InvalidInput(whole_text(files, range, summary, notes)), range_(range), summary_(summary) {}

}  // namespace driftwood::shader
