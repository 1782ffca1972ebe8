// naga, wgpu's compiler of WGSL, as a judge of what is emitted: `naga --bulk-validate` on files of a directory of its
// own.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>

namespace driftwood::test {

inline bool has_naga() {
  static const bool found = std::system("naga --version > /dev/null 2>&1") == 0;
  return found;
}

/// What naga has to say against the texts, by name; empty where it takes them all.
inline std::string naga_complaints(const std::map<std::string, std::string>& texts) {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("driftwood_naga_" + std::to_string(std::random_device()()));
  std::filesystem::create_directories(directory);
  for (const auto& [name, text] : texts) std::ofstream(directory / (name + ".wgsl")) << text;
  const std::string command = "cd '" + directory.string() + "' && ls | xargs naga --bulk-validate 2>&1";
  std::string output;
  if (std::FILE* const pipe = popen(command.c_str(), "r")) {
    char part[4096];
    while (const std::size_t count = std::fread(part, 1, sizeof part, pipe)) output.append(part, count);
    if (pclose(pipe) == 0) output.clear();
  } else {
    output = "naga cannot be started";
  }
  std::filesystem::remove_all(directory);
  return output;
}

}  // namespace driftwood::test
