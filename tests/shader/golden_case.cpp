#include "golden_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "kernels/source.h"
#include "tensor/storage.h"

namespace driftwood::test {

namespace {

StorageKind kind_from_name(const std::string& name) {
  if (name == "buffer") return StorageKind::Buffer;
  if (name == "image_buffer") return StorageKind::ImageBuffer;
  if (name == "texture_2d") return StorageKind::Texture2D;
  if (name == "texture_3d") return StorageKind::Texture3D;
  if (name == "texture_2d_array") return StorageKind::Texture2DArray;
  throw std::invalid_argument("no storage kind is called " + name);
}

TensorDescriptor tensor_from(std::istringstream& words) {
  std::string kind, texel, extents;
  words >> kind >> texel >> extents;
  TensorDescriptor descriptor;
  std::replace(extents.begin(), extents.end(), ',', ' ');
  std::istringstream numbers(extents);
  Shape& shape = descriptor.shape;
  numbers >> shape.b >> shape.h >> shape.w >> shape.d >> shape.c;
  descriptor.storage = kind_from_name(kind);
  descriptor.data_type = data_type_from_name(texel).value();
  descriptor.layout = default_layout(descriptor.storage, shape);
  words >> descriptor.objects;
  if (descriptor.objects == 0) descriptor.objects = 1;
  return descriptor;
}

void read_target(std::istringstream& words, GoldenCase& golden) {
  for (std::string word; words >> word;) {
    if (word == "f16") golden.traits.has_f16_arithmetic = golden.dialect.f16_arithmetic = true;
    if (word == "f16_ptx") golden.dialect.f16_ptx = true;
    if (word == "separate_bodies") golden.dialect.separate_bodies = true;
    if (word == "f16_functions") golden.dialect.f16_functions = true;
    if (word == "subgroups") golden.traits.has_subgroups = true;
    if (word == "matrices") golden.traits.has_matrices = golden.dialect.matrices = true;
    if (word == "untyped_memory") golden.has_untyped_matrix_memory = true;
    if (word == "pipeline") golden.traits.has_pipeline = golden.dialect.pipeline = true;
    if (word == "dot") golden.traits.has_packed_dot = true;
    if (word == "mixed_dot") golden.dialect.mixed_dot = true;
    if (word == "plain_shuffles") golden.dialect.relative_shuffles = false;
    if (word == "of_16") golden.dialect.subgroup_attribute = "intel_reqd_sub_group_size(16)";
    using Dialect = shader::OpenClDialect;
    if (word == "intel") golden.dialect.subgroups = Dialect::Subgroups::Intel;
    if (word == "arm") golden.dialect.packed_dot = Dialect::PackedDot::Arm;
    if (word != "ptx" && word != "khr") continue;
    const bool ptx = word == "ptx";
    if (golden.traits.has_subgroups) {
      golden.dialect.subgroups = ptx ? Dialect::Subgroups::NvidiaPtx : Dialect::Subgroups::Khr;
    }
    if (golden.traits.has_packed_dot) {
      golden.dialect.packed_dot = ptx ? Dialect::PackedDot::NvidiaPtx : Dialect::PackedDot::Khr;
    }
  }
}

std::pair<std::string, std::string> assignment(std::istringstream& words) {
  std::string text;
  words >> text;
  const std::size_t equal = text.find('=');
  return {text.substr(0, equal), text.substr(equal + 1)};
}

}  // namespace

std::string golden_path(const std::string& name, const std::string& extension) {
  return std::string(DRIFTWOOD_SOURCE_DIR) + "/tests/shader/golden/" + name + extension;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> golden_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden_path("", ""))) {
    const std::string name = entry.path().filename().string();
    const bool is_result = name.ends_with(".opt.wgsl") || name.ends_with(".out.wgsl");
    if (name.ends_with(".wgsl") && !is_result) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

GoldenCase read_golden_case(const std::string& name) {
  GoldenCase golden;
  golden.name = name;
  golden.source = read_text(golden_path(name, ".wgsl"));
  std::istringstream lines(golden.source);
  for (std::string line; std::getline(lines, line) && line.starts_with("//");) {
    std::istringstream words(line.substr(2));
    std::string what;
    words >> what;
    if (what == "target:") read_target(words, golden);
    if (what == "set:") {
      const auto [key, value] = assignment(words);
      golden.specialization.overrides[key] = std::stod(value);
    }
    if (what == "alias:") {
      const auto [key, value] = assignment(words);
      golden.specialization.aliases[key] = value;
    }
    if (what == "weights:") {  // name, format, rows, columns, row group, run of words
      std::string format;
      WeightsDescriptor weights;
      words >> what >> format >> weights.rows >> weights.columns >> weights.row_group >> weights.word_run;
      weights.format = data_type_from_name(format).value();
      golden.specialization.weights[what] = weights;
    }
    if (what == "tensor:") {
      words >> what;
      golden.specialization.tensors[what] = tensor_from(words);
    }
  }
  return golden;
}

shader::Module compile(const GoldenCase& golden) {
  const auto sources = [&](std::string_view path) -> std::optional<shader::SourceFile> {
    if (path == "package::" + golden.name) return shader::SourceFile{golden.name + ".wgsl", golden.source};
    return kernels::source(path);
  };
  return shader::compile(sources, "package::" + golden.name, golden.specialization, golden.traits);
}

}  // namespace driftwood::test
