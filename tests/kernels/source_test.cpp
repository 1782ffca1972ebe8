#include "kernels/source.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

namespace driftwood::kernels {
namespace {

using testing::Contains;

TEST(KernelSource, FilesAreFoundByModulePath) {
  for (const char* path : {"package::formats::q4_1", "formats::q4_1"}) {
    const auto file = source(path);
    ASSERT_TRUE(file) << path;
    EXPECT_EQ(file->name, "kernels/formats/q4_1.wgsl");
    std::ifstream stream(DRIFTWOOD_SOURCE_DIR "/src/kernels/formats/q4_1.wgsl");
    std::stringstream text;
    text << stream.rdbuf();
    EXPECT_EQ(file->text, text.str());
  }
}

TEST(KernelSource, UnknownModulesAreNotFound) {
  for (const char* path : {"package::formats::q4_2", "package::formats", "q4_1", "formats/q4_1", "package::", ""}) {
    EXPECT_FALSE(source(path)) << path;
  }
}

TEST(KernelSource, EveryModulePathIsFound) {
  EXPECT_THAT(module_paths(), Contains("package::formats::q4_1"));
  for (const std::string& path : module_paths()) EXPECT_TRUE(source(path)) << path;
}

}  // namespace
}  // namespace driftwood::kernels
