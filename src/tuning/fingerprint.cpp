#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/fnv1a.h"
#include "kernels/source.h"
#include "tuning/table.h"

namespace driftwood::tuning {
namespace {

// FNV-1a, 64 bit: http://www.isthe.com/chongo/tech/comp/fnv/.
// The modules that a source imports: `import package::a::b;` names b of package::a, `import package::a::{b, c};` both.
std::vector<std::string> imports_of(std::string_view source) {
  constexpr std::string_view keyword = "import ";
  std::vector<std::string> modules;
  for (std::size_t line = 0; line < source.size();) {
    const std::size_t end = std::min(source.find('\n', line), source.size());
    const std::string_view text = source.substr(line, end - line);
    line = end + 1;
    if (!text.starts_with(keyword)) continue;
    const std::string_view path = text.substr(keyword.size());
    const std::size_t last = path.rfind("::", path.find('{'));
    if (last != std::string_view::npos) modules.emplace_back(path.substr(0, last));
  }
  return modules;
}

void visit(const std::string& module, std::set<std::string>& seen) {
  if (!seen.insert(module).second) return;
  const auto source = kernels::source(module);
  if (!source) return;
  for (const std::string& imported : imports_of(source->text)) visit(imported, seen);
}

}  // namespace

std::string fingerprint(const std::vector<std::string>& modules) {
  std::set<std::string> seen;
  for (const std::string& module : modules) visit(module, seen);
  std::uint64_t hash = fnv1a({});
  for (const std::string& module : seen) {
    const auto source = kernels::source(module);
    hash = fnv1a(source ? source->text : std::string(), fnv1a(module, hash));
  }
  return fmt::format("{:016x}", hash);
}

std::vector<std::string> modules_of(const std::vector<graph::LoweredStep>& steps) {
  std::set<std::string> modules;
  for (const graph::LoweredStep& step : steps) {
    modules.insert(step.use.module_path);
    // The decoders of weights are imported where a format is known.
    for (const auto& [name, weights] : step.use.specialization.weights) {
      const std::string format(to_string(weights.format));
      for (const std::string_view folder : {"package::formats::", "package::wide_formats::"}) {
        if (kernels::source(std::string(folder) + format)) modules.insert(std::string(folder) + format);
      }
    }
  }
  return {modules.begin(), modules.end()};
}

}  // namespace driftwood::tuning
