#include "measure/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/error.h"
#include "formats/temporary_folder.h"
#include "support/error_of.h"

namespace driftwood::measure {
namespace {

using ::testing::HasSubstr;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(OutputFile, IsWrittenWholeOrNotAtAll) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "out.json";
  std::ofstream(path) << "old";
  {
    OutputFile file(path);
    EXPECT_EQ(contents(path), "old");
  }
  EXPECT_EQ(contents(path), "old") << "nothing was written";
  EXPECT_EQ(files_in(folder.path()), 1u);
  OutputFile(path).write("new");
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(files_in(folder.path()), 1u);
  OutputFile("/dev/null").write("gone");
}

TEST(OutputFile, ABadPathIsSaidAtOnce) {
  const testing::TemporaryFolder folder;
  for (const std::filesystem::path& path : {std::filesystem::path(), folder.path(), folder.path() / "no" / "file",
                                            folder.path() / std::string(300, 'x') / "y"})
    EXPECT_THROW(OutputFile{path}, InvalidInput) << path;
  EXPECT_THAT(test::error_of([&] { OutputFile{folder.path()}; }), HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace driftwood::measure
