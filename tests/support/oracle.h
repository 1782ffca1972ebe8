// Reference data beside the tests: JSON, tensors of safetensors files, and how far a result is from them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/safetensors.h"

namespace driftwood::test {

inline nlohmann::json read_json(const std::filesystem::path& path) {
  return nlohmann::json::parse(std::ifstream(path));
}

/// The entry of an array whose "case" is `name`.
inline const nlohmann::json& find_case(const nlohmann::json& cases, const std::string& name) {
  for (const nlohmann::json& entry : cases) {
    if (entry.at("case") == name) return entry;
  }
  throw std::runtime_error("there is no case " + name);
}

/// The values of a tensor that is stored as T.
template <class T>
std::vector<T> values(const SafetensorsFile& file, const std::string& name) {
  const StoredTensor& tensor = file.tensors().get(name);
  std::vector<T> result(tensor.bytes.size() / sizeof(T));
  std::memcpy(result.data(), tensor.bytes.data(), tensor.bytes.size());
  return result;
}

/// The L2 norm of the difference over that of what is expected.
double relative_error(const auto& got, const auto& expected) {
  EXPECT_EQ(got.size(), expected.size());
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(got.size(), expected.size()); ++i) {
    difference += std::pow(double{got[i]} - double{expected[i]}, 2);
    norm += std::pow(double{expected[i]}, 2);
  }
  return std::sqrt(difference / norm);
}

}  // namespace driftwood::test
