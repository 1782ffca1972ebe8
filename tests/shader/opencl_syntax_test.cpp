// What is printed in dialects of OpenCL C for which there is no device here, as clang's front end sees it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <string>

#include "golden_case.h"

namespace driftwood::test {
namespace {

// clang's output for a golden kernel; empty where it is content.
std::string complaints(const std::string& name) {
  const std::string declared = std::string(DRIFTWOOD_SOURCE_DIR) + "/tests/shader/opencl_intel.h";
  const std::string command =
      "clang-14 -x cl -cl-std=CL3.0 -target spir64 -Xclang -cl-ext=+all -Xclang -finclude-default-header -include " +
      declared + " -fsyntax-only -w " + golden_path(name, ".cl") + " 2>&1";
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "no pipe";
  for (char buffer[512]; std::fgets(buffer, sizeof buffer, pipe) != nullptr;) output += buffer;
  const int status = pclose(pipe);
  return status == 0 ? "" : "status " + std::to_string(status) + ": " + output;
}

TEST(OpenClSyntax, DialectsWithoutADeviceAreTakenByClang) {
  if (std::system("clang-14 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no clang-14";
  for (const char* name : {"subgroups_khr", "subgroups_khr_plain", "subgroups_intel", "dot_packed_khr",
                           "dot_packed_mixed", "dot_packed_arm", "f16_arithmetic"}) {
    EXPECT_EQ(complaints(name), "") << name;
  }
}

}  // namespace
}  // namespace driftwood::test
