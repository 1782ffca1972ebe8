#include "kernels/source.h"

#include <algorithm>

#include "kernels/embedded.h"

namespace driftwood::kernels {
namespace {

constexpr std::string_view package = "package::";
constexpr std::string_view extension = ".wgsl";

std::string module_path_of(std::string_view file) {
  std::string path(package);
  for (const char c : file.substr(0, file.size() - extension.size())) {
    if (c == '/') {
      path += "::";
    } else {
      path += c;
    }
  }
  return path;
}

}  // namespace

std::optional<shader::SourceFile> source(std::string_view module_path) {
  if (module_path.starts_with(package)) module_path.remove_prefix(package.size());
  for (const EmbeddedFile& file : embedded_files()) {
    if (module_path_of(file.path).substr(package.size()) == module_path) {
      return shader::SourceFile{"kernels/" + std::string(file.path), std::string(file.text)};
    }
  }
  return std::nullopt;
}

std::vector<std::string> module_paths() {
  std::vector<std::string> paths;
  for (const EmbeddedFile& file : embedded_files()) paths.push_back(module_path_of(file.path));
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace driftwood::kernels
