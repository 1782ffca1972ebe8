#include "tuning/stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/fnv1a.h"
#include "base/kept_file.h"
#include "base/log.h"
#include "gpu/program_cache.h"

namespace driftwood::tuning {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_bytes = 16 << 20;

// As JSON holds it: what drivers say of themselves need not be UTF-8.
std::string kept(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_of(const Table& table, const gpu::DeviceFacts& facts) {
  return kept(table.device) == kept(facts.name) && kept(table.api) == kept(facts.api) &&
         kept(table.driver) == kept(facts.driver);
}

// "OpenCL" of "OpenCL 3.0 PoCL ...".
std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

}  // namespace

Cache Cache::standard() {
  const fs::path programs = gpu::ProgramCache::standard().folder();
  return Cache(programs.empty() ? fs::path() : programs.parent_path() / "tuning");
}

fs::path Cache::file_of(const gpu::DeviceFacts& facts) const {
  const std::string key = fmt::format("{}\n{}\n{}\n{}\n", DRIFTWOOD_VERSION, facts.name, facts.api, facts.driver);
  return folder_ / fmt::format("{:016x}.json", fnv1a(key));
}

std::optional<Table> Cache::load(const gpu::DeviceFacts& facts) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = file_of(facts);
  const auto text = read_kept_file(path, most_bytes);
  if (!text) return std::nullopt;
  try {
    Table table = parse_table(*text, fmt::format("The table '{}'", path.string()));
    return is_of(table, facts) ? std::optional(std::move(table)) : std::nullopt;
  } catch (const InvalidInput& fault) {
    log(LogLevel::Warning, fmt::format("{} It is not used.", fault.message()));
    return std::nullopt;
  }
}

bool Cache::store(const gpu::DeviceFacts& facts, const Table& table) const {
  if (folder_.empty()) return false;
  Table all = load(facts).value_or(Table{});
  all.device = facts.name;
  all.api = facts.api;
  all.driver = facts.driver;
  for (const TableEntry& entry : table.entries) all.set(entry);
  return write_kept_file(file_of(facts), {to_text(all)});
}

bool Cache::forget(const gpu::DeviceFacts& facts) const {
  std::error_code error;
  return !folder_.empty() && fs::remove(file_of(facts), error) && !error;
}

const ShippedTable* shipped_for(const gpu::DeviceFacts& facts) {
  for (const ShippedTable& shipped : shipped_tables()) {
    // A table's name says which API and what kind of device it is of; its head says which device exactly.
    const Table table = parse_table(shipped.text, fmt::format("The shipped table '{}'", shipped.name));
    if (first_word(table.api) != first_word(facts.api)) continue;
    const bool is_cpu_table = shipped.name.find("-cpu") != std::string_view::npos;
    const bool is_mine = is_cpu_table ? facts.is_cpu && (shipped.name.ends_with("-vnni") == facts.has_wide_dot)
                                      : !facts.is_cpu && table.device == facts.name;
    if (is_mine) return &shipped;
  }
  return nullptr;
}

std::string StoredChoices::source() const {
  if (choices == nullptr) return "rule";
  if (from_cache == 0) return "shipped " + shipped;
  return shipped.empty() ? "cache" : "cache and shipped " + shipped;
}

StoredChoices choices_for(const gpu::DeviceFacts& facts, const Cache& cache) {
  StoredChoices stored;
  auto choices = std::make_shared<graph::Choices>();
  // What a release brings holds as long as its rows and values are among the candidates; what was measured here, as
  // long as the kernels are what was measured.
  if (const ShippedTable* shipped = shipped_for(facts)) {
    stored.shipped = shipped->name;
    stored.from_shipped = add_choices(parse_table(shipped->text, "The shipped table"), false, *choices);
  }
  if (const auto table = cache.load(facts)) stored.from_cache = add_choices(*table, true, *choices);
  if (choices->size() > 0) stored.choices = std::move(choices);
  return stored;
}

}  // namespace driftwood::tuning
