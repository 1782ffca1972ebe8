// The support table of the documentation: whole, and as the suite has it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "conformance/support_table.h"
#include "graph/selection.h"

namespace driftwood::test {
namespace {

using namespace conformance;

const SupportTable& table() {
  static const SupportTable made = support_table(all_cases());
  return made;
}

TEST(ConformanceTable, CoversEveryKernelOfTheSelection) {
  std::vector<std::string> tested;
  for (const KernelTests& row : table().kernels) tested.push_back(row.kernel);
  for (const graph::KernelRow& row : graph::kernel_rows()) {
    EXPECT_THAT(tested, testing::Contains(std::string(row.kernel))) << row.operation;
  }
}

TEST(ConformanceTable, HasEveryOperationInEveryMemoryAndType) {
  for (const SupportRow& row : table().rows) {
    for (const StorageKind storage : every_storage) {
      for (const DataType type : activation_types) {
        EXPECT_TRUE(row.cells.contains({storage, type}))
            << row.operation << " " << row.packed << " " << driftwood::to_string(storage) << " " << to_string(type);
      }
    }
  }
}

TEST(ConformanceTable, SupportsAlmostAllThatAnApiHasMemoryFor) {
  for (std::size_t i = 0; i < table().profiles.size(); ++i) {
    const auto [could, can] = table().supported(i);
    EXPECT_GE(100 * can, 95 * could) << table().profiles[i].name;
  }
}

TEST(ConformanceTable, IsTheOneInTheDocumentation) {
  const std::string path = DRIFTWOOD_SOURCE_DIR "/docs/support.md";
  const std::string page = support_page(table());
  if (std::getenv("DRIFTWOOD_WRITE_DOCS") != nullptr) std::ofstream(path) << page;
  std::ostringstream written;
  written << std::ifstream(path).rdbuf();
  EXPECT_EQ(written.str(), page) << "Run this test with DRIFTWOOD_WRITE_DOCS=1 to write docs/support.md anew.";
}

}  // namespace
}  // namespace driftwood::test
