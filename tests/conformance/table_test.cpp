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

TEST(ConformanceTable, CoversEveryKernelOfTheSelection) {
  std::vector<std::string> tested;
  for (const SupportRow& row : support_table(all_cases())) tested.push_back(row.kernel);
  for (const graph::KernelRow& row : graph::kernel_rows()) {
    EXPECT_THAT(tested, testing::Contains(std::string(row.kernel))) << row.operation;
  }
}

TEST(ConformanceTable, IsTheOneInTheDocumentation) {
  const std::string path = DRIFTWOOD_SOURCE_DIR "/docs/kernels.md";
  const std::string page = support_page(support_table(all_cases()));
  if (std::getenv("DRIFTWOOD_WRITE_DOCS") != nullptr) std::ofstream(path) << page;
  std::ostringstream written;
  written << std::ifstream(path).rdbuf();
  EXPECT_EQ(written.str(), page) << "Run this test with DRIFTWOOD_WRITE_DOCS=1 to write docs/kernels.md anew.";
}

}  // namespace
}  // namespace driftwood::test
