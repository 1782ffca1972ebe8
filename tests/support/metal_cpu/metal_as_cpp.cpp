#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "support/metal_cpu/program.h"

namespace driftwood::test {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The same text with spaces for comments: offsets stay.
std::string without_comments(std::string text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '/' || (text[i + 1] != '/' && text[i + 1] != '*')) continue;
    const bool is_line = text[i + 1] == '/';
    const std::size_t end = std::min(text.size(), is_line ? text.find('\n', i) : text.find("*/", i + 2) + 2);
    for (; i < end; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
  }
  return text;
}

std::vector<std::size_t> find_words(std::string_view text, std::string_view word) {
  std::vector<std::size_t> found;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_name(text[at - 1]);
    const bool ends = at + word.size() >= text.size() || !is_name(text[at + word.size()]);
    if (begins && ends) found.push_back(at);
  }
  return found;
}

// Whether the declaration at `at` is a statement that makes a variable of threadgroup memory (and not a pointer to it).
bool declares_shared(std::string_view text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && std::isspace(static_cast<unsigned char>(text[before - 1])) != 0) --before;
  if (before == 0 || std::string_view("{};").find(text[before - 1]) == std::string_view::npos) return false;
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '[' || c == '(' || c == '<') ++depth;
    if (c == ']' || c == ')' || c == '>') --depth;
    if (depth > 0) {
      if (c == '&') return false;  // (&name)[4]
      continue;
    }
    if (c == '*' || c == '&') return false;
    if (c == ';' || c == '=' || c == ',') return true;
  }
  return false;
}

std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> parameters_of(std::string_view text, const std::string& kernel) {
  for (const std::size_t at : find_words(text, "kernel")) {
    std::size_t open = text.find('(', at);
    if (open == std::string_view::npos) break;
    std::size_t end = open;
    while (end > at && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
    if (end - at < kernel.size() || text.substr(end - kernel.size(), kernel.size()) != kernel ||
        is_name(text[end - kernel.size() - 1])) {
      continue;
    }
    const std::size_t close = closing(text, open);
    std::vector<std::string_view> parameters;
    int depth = 0;
    std::size_t start = open + 1;
    for (std::size_t i = start; i <= close; ++i) {
      const char c = text[i];
      if (i == close || (c == ',' && depth == 0)) {
        const std::string_view part = text.substr(start, i - start);
        if (part.find_first_not_of(" \n\t") != std::string_view::npos) parameters.push_back(part);
        start = i + 1;
      }
      if (c == '(' || c == '[' || c == '<') ++depth;
      if (c == ')' || c == ']' || c == '>') --depth;
    }
    return parameters;
  }
  throw InternalError("The Metal source has no kernel '" + kernel + "'.");
}

// The value of a parameter, from its attribute.
std::string argument_of(std::string_view parameter) {
  const std::size_t open = parameter.rfind("[["), close = parameter.rfind("]]");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    throw InternalError("The parameter '" + std::string(parameter) + "' of a Metal kernel has no attribute.");
  }
  std::string attribute;
  for (const char c : parameter.substr(open + 2, close - open - 2)) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) attribute += c;
  }
  const std::size_t bracket = attribute.find('(');
  const std::string name = attribute.substr(0, bracket);
  if (bracket != std::string::npos) {
    const std::string index = attribute.substr(bracket + 1, attribute.size() - bracket - 2);
    if (name == "buffer") return "BufferArgument{a.buffers[" + index + "]}";
    if (name == "texture") return "TextureArgument{a.textures[" + index + "]}";
  }
  static const std::vector<std::pair<std::string_view, std::string_view>> inputs = {
      {"thread_position_in_grid", "GridArgument(i)"},
      {"thread_position_in_threadgroup", "TripleArgument{i.position}"},
      {"thread_index_in_threadgroup", "i.index"},
      {"threadgroup_position_in_grid", "TripleArgument{i.group}"},
      {"threads_per_threadgroup", "TripleArgument{i.group_extent}"},
      {"threadgroups_per_grid", "TripleArgument{i.groups}"},
      {"thread_index_in_simdgroup", "i.lane"},
      {"simdgroup_index_in_threadgroup", "i.simdgroup"},
      {"simdgroups_per_threadgroup", "i.simdgroups"},
      {"dispatch_simdgroups_per_threadgroup", "i.simdgroups"},
      {"threads_per_simdgroup", "simd_width"},
      {"thread_execution_width", "simd_width"},
  };
  for (const auto& [known, value] : inputs) {
    if (name == known) return std::string(value);
  }
  throw InternalError("The attribute '" + attribute + "' of a Metal kernel's parameter is not known here.");
}

constexpr const char* shim_begin = R"(
#undef device
#undef constant
#undef thread
#undef threadgroup
#undef kernel
metal_cpu::Runtime* metal_cpu_runtime;
namespace metal_cpu {
#define METAL_CPU_EXPORT extern "C" __attribute__((visibility("default")))
// Where clang's checks report to: the place in the source is what each passes first.
struct CheckedPlace {
  const char* file;
  unsigned line, column;
};
extern "C" void __ubsan_handle_out_of_bounds(const CheckedPlace* place, unsigned long) {
  metal_cpu_runtime->fail("An index is outside of its array.", static_cast<int>(place->line));
}
extern "C" void __ubsan_handle_divrem_overflow(const CheckedPlace* place, unsigned long, unsigned long) {
  metal_cpu_runtime->fail("An integer is divided by zero.", static_cast<int>(place->line));
}
extern "C" void __ubsan_handle_shift_out_of_bounds(const CheckedPlace* place, unsigned long, unsigned long) {
  metal_cpu_runtime->fail("A shift is by as many bits as the number has, or by more.", static_cast<int>(place->line));
}
extern "C" __attribute__((weak, visibility("hidden"))) unsigned char __start_metal_cpu_shared[], __stop_metal_cpu_shared[];
METAL_CPU_EXPORT void metal_cpu_set_runtime(Runtime* runtime) { metal_cpu_runtime = runtime; }
)";

constexpr const char* shim_end = R"(
METAL_CPU_EXPORT Program metal_cpu_describe() {
  return {&metal_cpu_entry, __start_metal_cpu_shared,
          static_cast<unsigned long>(__stop_metal_cpu_shared - __start_metal_cpu_shared)};
}
}
)";

}  // namespace

std::string metal_as_cpp(const std::string& source, const std::string& kernel) {
  const std::string code = without_comments(source);
  std::string text;
  std::size_t done = 0;
  constexpr std::string_view keyword = "threadgroup";
  for (const std::size_t at : find_words(code, keyword)) {
    if (!declares_shared(code, at)) continue;
    text += code.substr(done, at - done) + "METAL_CPU_SHARED";
    done = at + keyword.size();
  }
  text += code.substr(done);

  std::string arguments;
  for (const std::string_view parameter : parameters_of(code, kernel)) {
    arguments += (arguments.empty() ? "" : ", ") + argument_of(parameter);
  }
  return text + shim_begin + "static void metal_cpu_entry(const Arguments& a [[maybe_unused]], const Invocation& i " +
         "[[maybe_unused]]) {\n  ::" + kernel + "(" + arguments + ");\n}\n" + shim_end;
}

}  // namespace driftwood::test
