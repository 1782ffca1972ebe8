#include "selftest/record.h"

#include <fmt/format.h>

#include "base/fnv1a.h"
#include "base/kept_file.h"
#include "gpu/program_cache.h"
#include "gpu/registry.h"
#include "kernels/embedded.h"
#include "selftest/report_json.h"

namespace driftwood::selftest {
namespace {

namespace fs = std::filesystem;

constexpr int format = 1;
constexpr std::uintmax_t most_bytes = 1 << 20;

std::uint64_t hash_of_kernels() {
  std::uint64_t hash = fnv1a({});
  for (const kernels::EmbeddedFile& file : kernels::embedded_files()) hash = fnv1a(file.text, fnv1a(file.path, hash));
  for (const graph::KernelRow& row : graph::kernel_rows()) hash = fnv1a(row.kernel, hash);
  return hash;
}

// Drivers' strings need not be UTF-8.
std::string dumped(const nlohmann::json& document) {
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string checksum_of(const nlohmann::json& report, const std::string& key) {
  return fmt::format("{:016x}", fnv1a(dumped(report), fnv1a(dumped(key))));
}

}  // namespace

std::string record_key(const gpu::DeviceFacts& facts, Scope scope) {
  static const std::uint64_t kernels = hash_of_kernels();
  std::string key = fmt::format("driftwood {} {:016x}\n{}\n{}\n{}\n{}\n", DRIFTWOOD_VERSION, kernels, to_string(scope),
                                facts.name, facts.api, facts.driver);
  for (const auto& [name, value] : gpu::named_facts(facts)) {
    // Some drivers, PoCL among them, count what is free of the computer's memory just then; kernels compute the same.
    if (name == "global_memory" || name == "max_allocation") continue;
    key += fmt::format("{} {}\n", name, value);
  }
  return key;
}

Records Records::standard() {
  const fs::path programs = gpu::ProgramCache::standard().folder();
  return Records(programs.empty() ? fs::path() : programs.parent_path() / "selftest");
}

fs::path Records::file_of(const std::string& key) const { return folder_ / fmt::format("{:016x}.json", fnv1a(key)); }

std::optional<Report> Records::load(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const auto text = read_kept_file(file_of(key), most_bytes);
  if (!text) return std::nullopt;
  const nlohmann::json document = nlohmann::json::parse(*text, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  try {
    const nlohmann::json& report = document.at("report");
    const bool is_mine = document.at("format") == format && dumped(document.at("key")) == dumped(key) &&
                         document.at("checksum") == checksum_of(report, key);
    return is_mine ? report_from(report) : std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void Records::store(const std::string& key, const Report& report) const {
  if (folder_.empty()) return;
  // Checked as it will be read: what is not UTF-8 is replaced when it is written.
  const nlohmann::json clean = nlohmann::json::parse(dumped(to_json(report)));
  const nlohmann::json document = {
      {"format", format}, {"key", key}, {"report", clean}, {"checksum", checksum_of(clean, key)}};
  write_kept_file(file_of(key), {dumped(document), "\n"});
}

}  // namespace driftwood::selftest
