#include "conformance/support_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gpu/reference/reference_device.h"
#include "graph/lowering.h"

namespace driftwood::conformance {

std::vector<SupportRow> support_table(const std::vector<Case>& cases) {
  std::vector<SupportRow> table;
  std::map<std::string, std::size_t> places;
  const auto cpu = gpu::make_reference_device({.is_cpu = true}), gpu = gpu::make_reference_device();
  for (const Case& each : cases) {
    const std::string packed =
        each.packed.empty() ? "" : fmt::format("{} {}", to_string(each.setting.packed), each.packed);
    std::set<std::string> kernels;
    for (const gpu::Device* device : {cpu.get(), gpu.get()}) {
      const Problem problem = problem_of(each, device->facts(), 1);
      for (const auto& step :
           graph::lower(problem.graph, device->facts(),
                        {.activations = graph::ActivationMode::Float, .storage = each.setting.storage})
               .steps) {
        kernels.emplace(step.kernel);
      }
    }
    for (const std::string& kernel : kernels) {
      const auto [place, is_new] = places.try_emplace(each.operation + "/" + kernel + "/" + packed, table.size());
      if (is_new) table.push_back({.operation = each.operation, .kernel = kernel, .packed = packed});
      SupportRow& row = table[place->second];
      bool& is_everywhere = row.cells[{each.setting.storage, each.setting.activation}];
      is_everywhere = is_everywhere || each.everywhere;
      ++row.cases;
      if (each.everywhere) ++row.cases_everywhere;
    }
  }
  std::ranges::stable_sort(table, {}, [](const SupportRow& row) { return std::pair(row.operation, row.kernel); });
  return table;
}

std::string support_page(const std::vector<SupportRow>& table) {
  std::string page =
      "# Kernels and what they are tested with\n\n"
      "Written by the conformance suite from its own table of cases (`tests/kernels/conformance*.cpp`); a test fails\n"
      "where this page is out of date. To write it anew:\n\n"
      "    DRIFTWOOD_WRITE_DOCS=1 build/bin/test_kernels --gtest_filter='ConformanceTable.*'\n\n"
      "Each case runs one operation and compares every element with a computation in double precision, with NaN in "
      "all\n"
      "that must not be read and guard words around all that must not be written. Activations are stored as f32 or "
      "f16\n"
      "in each kind of memory: plain cells are run on the reference device, **bold** ones on OpenCL as well. "
      "Element-wise\n"
      "operations that are fused into the kernel, and the number of active tokens, vary within the cases.\n\n"
      "| operation | kernel | weights, caches | buffer | image buffer | 2D texture | 3D texture | 2D texture array | "
      "cases, reference | cases, OpenCL |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  for (const SupportRow& row : table) {
    page += fmt::format("| {} | {} | {} |", row.operation, row.kernel, row.packed);
    for (const StorageKind storage : every_storage) {
      std::string cell;
      for (const DataType type : activation_types) {
        const auto found = row.cells.find({storage, type});
        if (found == row.cells.end()) continue;
        const std::string_view mark = found->second ? "**" : "";
        cell += fmt::format("{}{}{}{}", cell.empty() ? "" : " ", mark, to_string(type), mark);
      }
      page += fmt::format(" {} |", cell);
    }
    page += fmt::format(" {} | {} |\n", row.cases, row.cases_everywhere);
  }
  return page;
}

}  // namespace driftwood::conformance
