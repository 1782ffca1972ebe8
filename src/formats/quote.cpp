#include "formats/quote.h"

#include <fmt/format.h>

#include <iterator>

namespace driftwood {
namespace {

constexpr std::size_t longest_shown = 80;
constexpr std::size_t shown_at_each_end = 32;

void append_printable(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '\'' && c != '\\') {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02X}", static_cast<unsigned char>(c));
    }
  }
}

}  // namespace

std::string quote_name(std::string_view text) {
  std::string out = "'";
  if (text.size() <= longest_shown) {
    append_printable(out, text);
  } else {
    append_printable(out, text.substr(0, shown_at_each_end));
    out += "...";
    append_printable(out, text.substr(text.size() - shown_at_each_end));
  }
  out += '\'';
  return out;
}

}  // namespace driftwood
