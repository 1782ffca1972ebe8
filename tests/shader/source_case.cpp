#include "source_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tensor/storage.h"

namespace driftwood::test {

namespace {

std::string folder_path(const std::string& folder) {
  return std::string(DRIFTWOOD_SOURCE_DIR) + "/tests/shader/" + folder + "/";
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TensorDescriptor tensor_from(std::istringstream& words) {
  TensorDescriptor descriptor;
  std::string texel, extents;
  words >> texel >> extents;
  std::replace(extents.begin(), extents.end(), ',', ' ');
  std::istringstream numbers(extents);
  Shape& shape = descriptor.shape;
  numbers >> shape.b >> shape.h >> shape.w >> shape.d >> shape.c;
  descriptor.data_type = data_type_from_name(texel).value();
  descriptor.layout = default_layout(descriptor.storage, shape);
  return descriptor;
}

/// A "// what: ..." line at the top of a case.
void read_setting(const std::string& line, shader::Specialization& specialization) {
  std::istringstream words(line.substr(2));
  std::string what, name;
  words >> what >> name;
  if (what == "set:") {
    const auto equal = name.find('=');
    specialization.overrides[name.substr(0, equal)] = std::stod(name.substr(equal + 1));
  } else if (what == "tensor:") {
    specialization.tensors[name] = tensor_from(words);
  } else if (what == "weights:") {
    WeightsDescriptor descriptor;
    std::string format;
    words >> format >> descriptor.rows >> descriptor.columns;
    descriptor.format = data_type_from_name(format).value();
    specialization.weights[name] = descriptor;
  }
}

}  // namespace

shader::SourceProvider SourceCase::provider() const {
  return [this](std::string_view path) -> std::optional<shader::SourceFile> {
    const auto found = modules.find(path);
    if (found == modules.end()) return std::nullopt;
    const auto last = found->first.rfind(':');
    const std::string file = path == "package::main" ? name : found->first.substr(last + 1);
    return shader::SourceFile{file + ".wgsl", found->second};
  };
}

SourceCase source_case(const std::string& name, const std::string& text) {
  SourceCase result;
  result.name = name;
  std::istringstream lines(text);
  std::string* section = &result.modules["package::main"];
  bool is_head = true;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("//// ")) {
      std::istringstream words(line.substr(5));
      std::string what, which;
      words >> what >> which;
      section = what == "fusion"  ? &result.specialization.fusions[which]
                : what == "alias" ? &result.specialization.aliases[which]
                                  : &result.modules[what];
      continue;
    }
    is_head = is_head && line.starts_with("//");
    if (is_head) read_setting(line, result.specialization);
    *section += line + "\n";
  }
  return result;
}

std::vector<std::string> case_names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_path(folder))) {
    if (entry.path().extension() == ".wgsl") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

SourceCase read_source_case(const std::string& folder, const std::string& name) {
  return source_case(name, file_text(folder_path(folder) + name + ".wgsl"));
}

void expect_golden_text(const std::string& folder, const std::string& name, const std::string& actual) {
  const std::string path = folder_path(folder) + name + ".txt";
  if (std::getenv("DRIFTWOOD_REGENERATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << actual;
  EXPECT_EQ(actual, file_text(path)) << "in " << path;
}

}  // namespace driftwood::test
