#include "conformance/support_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/check.h"

namespace driftwood::conformance {
namespace {

gpu::DeviceFacts common_facts(std::string api) {
  gpu::DeviceFacts facts;
  facts.id = "profile";
  facts.api = std::move(api);
  facts.compute_units = 16;
  facts.max_workgroup_size = 1024;
  facts.max_workgroup_extent = {1024, 1024, 64};
  facts.local_memory = 32 << 10;
  facts.global_memory = std::uint64_t{8} << 30;
  facts.max_allocation = std::uint64_t{1} << 31;
  facts.buffer_alignment = 256;
  facts.has_images = true;
  facts.has_3d_image_writes = true;
  facts.max_image_buffer = std::uint64_t{1} << 27;
  facts.max_image_2d = {16384, 16384};
  facts.max_image_3d = {2048, 2048, 2048};
  facts.max_image_layers = 2048;
  facts.has_f16_arithmetic = true;
  facts.has_subgroups = true;
  facts.subgroup_size = 32;
  facts.has_packed_dot = true;
  return facts;
}

bool is_like(const SupportRow& row, const std::string& operation, const std::string& packed) {
  return row.operation == operation && row.packed == packed;
}

std::string packed_of(const Case& each) {
  return each.packed.empty() ? "" : fmt::format("{} {}", to_string(each.setting.packed), each.packed);
}

// "all", or kinds of memory with the types in them: "buffer, 2D texture (f16)".
std::string words(const std::set<Cell>& cells) {
  if (cells.size() == std::size(every_storage) * std::size(activation_types)) return "all";
  std::string text;
  for (const StorageKind storage : every_storage) {
    std::string types;
    std::size_t count = 0;
    for (const DataType type : activation_types) {
      if (!cells.contains({storage, type})) continue;
      types += fmt::format("{}{}", types.empty() ? "" : " ", to_string(type));
      ++count;
    }
    if (count == 0) continue;
    const bool is_whole = count == std::size(activation_types);
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", driftwood::to_string(storage),
                        is_whole ? "" : fmt::format(" ({})", types));
  }
  return text;
}

std::set<Cell> keys(const std::map<Cell, std::string>& cells) {
  std::set<Cell> result;
  for (const auto& [cell, reason] : cells) result.insert(cell);
  return result;
}

}  // namespace

std::vector<ApiProfile> api_profiles() {
  ApiProfile cpu{"OpenCL, a CPU", common_facts("OpenCL 3.0")}, gpu{"OpenCL, a GPU", common_facts("OpenCL 3.0")},
      webgpu{"WebGPU", common_facts("WebGPU")}, metal{"Metal", common_facts("Metal 3")};
  cpu.facts.device_class = gpu::DeviceClass::Cpu;
  cpu.facts.is_cpu = true;
  cpu.facts.has_subgroups = false;
  cpu.facts.subgroup_size = 1;
  gpu.facts.has_matrices = true;
  gpu.facts.pipeline_memory = 224 << 10;
  webgpu.facts.max_image_buffer = 0;
  webgpu.facts.max_workgroup_size = 256;
  webgpu.facts.max_workgroup_extent = {256, 256, 64};
  webgpu.facts.max_binding = std::uint64_t{128} << 20;
  metal.facts.has_matrices = true;
  return {std::move(cpu), std::move(gpu), std::move(webgpu), std::move(metal)};
}

SupportTable support_table(const std::vector<Case>& cases) {
  SupportTable table{.profiles = api_profiles(), .rows = {}, .kernels = {}};
  std::map<std::string, std::size_t> kernel_places;
  for (const Case& each : cases) {
    const std::string packed = packed_of(each);
    const Cell cell{each.setting.storage, each.setting.activation};
    auto row = std::ranges::find_if(table.rows,
                                    [&](const SupportRow& other) { return is_like(other, each.operation, packed); });
    if (row == table.rows.end()) {
      table.rows.push_back({.operation = each.operation,
                            .packed = packed,
                            .impossible = std::vector<std::map<Cell, std::string>>(table.profiles.size()),
                            .missing = std::vector<std::map<Cell, std::string>>(table.profiles.size())});
      row = std::prev(table.rows.end());
    }
    row->cells.insert(cell);
    std::set<std::string> kernels;
    for (std::size_t i = 0; i < table.profiles.size(); ++i) {
      const Choice choice = choice_of(each, table.profiles[i].facts);
      if (choice.refusal.empty()) {
        kernels.insert(choice.kernels.begin(), choice.kernels.end());
      } else if (choice.has_memory) {
        row->missing[i].try_emplace(cell, choice.refusal);
      } else {
        row->impossible[i].try_emplace(cell, choice.refusal);
      }
    }
    for (const std::string& kernel : kernels) {
      const auto [place, is_new] =
          kernel_places.try_emplace(fmt::format("{}/{}/{}", each.operation, kernel, packed), table.kernels.size());
      if (is_new) table.kernels.push_back({.operation = each.operation, .kernel = kernel, .packed = packed});
      table.kernels[place->second].cells.insert(cell);
      ++table.kernels[place->second].cases;
    }
  }
  std::ranges::stable_sort(table.rows, {}, &SupportRow::operation);
  std::ranges::stable_sort(table.kernels, {},
                           [](const KernelTests& row) { return std::pair(row.operation, row.kernel); });
  return table;
}

std::pair<std::size_t, std::size_t> SupportTable::supported(std::size_t profile) const {
  std::size_t could = 0, missing = 0;
  for (const SupportRow& row : rows) {
    could += row.cells.size() - row.impossible[profile].size();
    missing += row.missing[profile].size();
  }
  return {could, could - missing};
}

std::string support_page(const SupportTable& table) {
  std::string page =
      "# What runs where\n\n"
      "Written by the conformance suite from its own table of cases (`src/conformance/*_cases.cpp`) and from the "
      "facts\n"
      "of devices as each API has them; a test fails where this page is out of date. To write it anew:\n\n"
      "    DRIFTWOOD_WRITE_DOCS=1 build/bin/test_conformance --gtest_filter='ConformanceTable.*'\n\n"
      "A combination is an operation with a format of weights or caches, a kind of memory for its activations, and\n"
      "their type there, f32 or f16. `make test` runs on every device of the computer a sample that has each "
      "kernel in\n"
      "each kind of memory, with each type, and each operation with each format; `make test-conformance` runs every "
      "case on all of them. Both print what they "
      "came\n"
      "to for each device.\n\n"
      "| API | combinations that it has memory for | supported | |\n|---|---|---|---|\n";
  for (std::size_t i = 0; i < table.profiles.size(); ++i) {
    const auto [could, can] = table.supported(i);
    page += fmt::format("| {} | {} | {} | {:.1f} % |\n", table.profiles[i].name, could, can,
                        100.0 * static_cast<double>(can) / static_cast<double>(could));
  }
  page += "\n## What is not supported\n\n| API | memory | combinations | why |\n|---|---|---|---|\n";
  for (std::size_t i = 0; i < table.profiles.size(); ++i) {
    std::map<std::pair<std::string, std::string>, std::size_t> counts;
    for (const SupportRow& row : table.rows) {
      for (const auto* cells : {&row.impossible[i], &row.missing[i]}) {
        for (const auto& [cell, reason] : *cells) ++counts[{std::string(driftwood::to_string(cell.first)), reason}];
      }
    }
    for (const auto& [what, count] : counts) {
      page += fmt::format("| {} | {} | {} | {} |\n", table.profiles[i].name, what.first, count, what.second);
    }
  }
  page +=
      "\n## Operations\n\n`all` is every kind of memory (buffer, image buffer, 2D, 3D and array texture) with f32 and "
      "f16.\n\n";
  page += "| operation | weights, caches | tested |";
  for (const ApiProfile& profile : table.profiles) page += fmt::format(" {} |", profile.name);
  page += "\n|---|---|---|";
  for (std::size_t i = 0; i < table.profiles.size(); ++i) page += "---|";
  page += "\n";
  for (const SupportRow& row : table.rows) {
    page += fmt::format("| {} | {} | {} |", row.operation, row.packed, words(row.cells));
    for (std::size_t i = 0; i < table.profiles.size(); ++i) {
      std::map<Cell, std::string> without = row.impossible[i];
      without.insert(row.missing[i].begin(), row.missing[i].end());
      page += without.empty() ? " all |" : fmt::format(" without {} |", words(keys(without)));
    }
    page += "\n";
  }
  page +=
      "\n## Kernels\n\n"
      "Which kernels these operations come to on the devices above, and how many cases each has. Every case compares\n"
      "each element with a computation in double precision, within the error that the arithmetic allows\n"
      "(`src/conformance/tolerance.h`), with NaN in all that must not be read and guard words beside all that is\n"
      "written. Operations that are fused into a kernel, and the number of active tokens, vary within the cases.\n\n"
      "| operation | kernel | weights, caches | activations | cases |\n|---|---|---|---|---|\n";
  for (const KernelTests& row : table.kernels) {
    page +=
        fmt::format("| {} | {} | {} | {} | {} |\n", row.operation, row.kernel, row.packed, words(row.cells), row.cases);
  }
  return page;
}

}  // namespace driftwood::conformance
