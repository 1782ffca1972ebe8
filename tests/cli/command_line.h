// Runs the binary as a shell does, for tests of the command line.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "formats/temporary_folder.h"

namespace driftwood {

struct Result {
  int status = -1;  // 128 + signal where it was killed
  std::string out, err;
};

inline std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class CommandLine : public ::testing::Test {
 protected:
  /// Runs `driftwood ARGUMENTS`, a shell text, with standard input from a text.
  Result run(const std::string& arguments, const std::string& input = {}) {
    const auto in = folder_.write("in", input);
    const std::string command = quoted(DRIFTWOOD_BINARY) + " " + arguments + " < " + quoted(in.string()) + " > " +
                                quoted((folder_.path() / "out").string()) + " 2> " +
                                quoted((folder_.path() / "err").string());
    const int status = std::system(command.c_str());
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .out = contents(folder_.path() / "out"),
            .err = contents(folder_.path() / "err")};
  }
  std::string file(const std::string& name, const std::string& text) {
    return quoted(folder_.write(name, text).string());
  }

  testing::TemporaryFolder folder_;
};

}  // namespace driftwood
