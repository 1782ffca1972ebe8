#include "base/kept_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace driftwood {
namespace {

namespace fs = std::filesystem;

TEST(KeptFile, ComesBackWholeOrNotAtAll) {
  const fs::path folder = fs::path(testing::TempDir()) / "kept_file_test";
  fs::remove_all(folder);
  const fs::path path = folder / "inner" / "a.json";
  EXPECT_FALSE(read_kept_file(path, 100).has_value());
  ASSERT_TRUE(write_kept_file(path, {"one", "", "two"}));
  EXPECT_EQ(read_kept_file(path, 6), "onetwo");
  EXPECT_FALSE(read_kept_file(path, 5).has_value()) << "larger than what is read";
  ASSERT_TRUE(write_kept_file(path, {"three"}));
  EXPECT_EQ(read_kept_file(path, 6), "three");
  EXPECT_FALSE(write_kept_file(path / "below a file.json", {"x"}));
  EXPECT_EQ(read_kept_file(path, 6), "three");
  for (const auto& entry : fs::directory_iterator(folder / "inner"))
    EXPECT_NE(entry.path().extension(), partial_suffix);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace driftwood
