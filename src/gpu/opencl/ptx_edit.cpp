#include "gpu/opencl/ptx_edit.h"

#include <cctype>
#include <string>

namespace driftwood::gpu::opencl {
namespace {

constexpr std::string_view mark = "//@";
constexpr std::string_view required_size = ".reqntid";
constexpr std::string_view target = ".target sm_90";

}  // namespace

bool needs_edited_ptx(std::string_view source) { return source.find(mark) != std::string_view::npos; }

std::optional<std::vector<std::byte>> edited_ptx(std::span<const std::byte> binary) {
  std::string_view text(reinterpret_cast<const char*>(binary.data()), binary.size());
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  const std::size_t at = text.find(target);
  if (text.find('\0') != std::string_view::npos || at == std::string_view::npos) return std::nullopt;
  const std::size_t end = at + target.size();
  if (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0)) return std::nullopt;
  std::string edited(text.substr(0, end));
  edited += 'a';
  for (std::size_t from = end; from < text.size();) {
    const std::size_t next = text.find(mark, from);
    edited += text.substr(from, next == std::string_view::npos ? next : next - from);
    from = next == std::string_view::npos ? text.size() : next + mark.size();
  }
  // Without a number of workgroups a unit the assembler takes no change of the number of registers.
  const std::size_t size = edited.find(required_size);
  if (size != std::string::npos && edited.find("setmaxnreg") != std::string::npos) {
    const std::size_t line = edited.find('\n', size);
    if (line == std::string::npos) return std::nullopt;
    edited.insert(line, "\n.minnctapersm 1");
  }
  edited += '\0';
  const auto bytes = std::as_bytes(std::span(edited));
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

}  // namespace driftwood::gpu::opencl
