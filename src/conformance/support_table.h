// The support table: what the cases of the conformance suite cover, as a page of the documentation.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case.h"

namespace driftwood::conformance {

struct SupportRow {
  std::string operation, kernel;
  std::string packed;  // "q4_0 weights", "f16 caches", or nothing
  /// By storage and type of activations: whether OpenCL runs it too.
  std::map<std::pair<StorageKind, DataType>, bool> cells = {};
  std::size_t cases = 0, cases_everywhere = 0;
};

/// A row for each kernel and packed type. Kernels are chosen as on a CPU and as on a GPU; nothing runs.
std::vector<SupportRow> support_table(const std::vector<Case>& cases);
std::string support_page(const std::vector<SupportRow>& table);

}  // namespace driftwood::conformance
