// The support table: what the cases of the conformance suite cover, and what each API can do of it, as a page of the
// documentation. Kernels are chosen from facts alone: the page is the same on every computer.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case.h"

namespace driftwood::conformance {

/// An API as devices have it that are found in practice.
struct ApiProfile {
  std::string name;
  gpu::DeviceFacts facts;
};
std::vector<ApiProfile> api_profiles();

/// How activations are stored.
using Cell = std::pair<StorageKind, DataType>;

/// An operation with one format of weights or caches.
struct SupportRow {
  std::string operation;
  std::string packed;  // "q4_0 weights", "f16 caches", or nothing
  std::set<Cell> cells = {};
  /// By profile: cells that it has no memory for, and those that it could do but for which there is no kernel, with the
  /// reason.
  std::vector<std::map<Cell, std::string>> impossible = {}, missing = {};
};

/// A kernel of an operation: what it is tested with.
struct KernelTests {
  std::string operation, kernel, packed;
  std::set<Cell> cells = {};
  std::size_t cases = 0;
};

struct SupportTable {
  std::vector<ApiProfile> profiles;
  std::vector<SupportRow> rows;
  std::vector<KernelTests> kernels;

  /// Combinations that an API has memory for, and those of them for which there is a kernel.
  std::pair<std::size_t, std::size_t> supported(std::size_t profile) const;
};

SupportTable support_table(const std::vector<Case>& cases);
std::string support_page(const SupportTable& table);

}  // namespace driftwood::conformance
