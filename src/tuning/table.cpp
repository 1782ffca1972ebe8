#include "tuning/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "formats/guarded_json.h"
#include "formats/quote.h"

namespace driftwood::tuning {
namespace {

constexpr std::uint32_t format = 1;
constexpr std::size_t most_bytes = std::size_t{16} << 20;
constexpr std::size_t most_entries = 20000, most_values = 16, most_modules = 16;
constexpr std::size_t most_name = 100, most_node = 4000;

// Fields of one object; every fault names the table, the entry and the key.
class Reader {
 public:
  Reader(const nlohmann::json& object, std::string what) : object_(object), what_(std::move(what)) {
    if (!object.is_object()) refuse("is no JSON object");
  }

  [[noreturn]] void refuse(const std::string& why) const { throw InvalidInput(fmt::format("{} {}.", what_, why)); }

  const nlohmann::json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) refuse(fmt::format("has no '{}'", key));
    return *found;
  }

  std::string text(const char* key, std::size_t most) const { return text(at(key), key, most); }
  std::string text(const nlohmann::json& value, const char* key, std::size_t most) const {
    if (!value.is_string()) refuse(fmt::format("has a '{}' that is no text", key));
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > most) refuse(fmt::format("has a '{}' of {} bytes, over the limit of {}", key, text.size(), most));
    return text;
  }

  std::uint32_t integer(const char* key) const { return integer(at(key), key); }
  std::uint32_t integer(const nlohmann::json& value, std::string_view key) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > 0xFFFFFFFFU) {
      refuse(fmt::format("has a {} that is no whole number from 0 to 4294967295", quote_name(std::string(key))));
    }
    return static_cast<std::uint32_t>(value.get<std::uint64_t>());
  }

  double time(const char* key) const {
    const nlohmann::json& value = at(key);
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0 && number <= 1e12)) refuse(fmt::format("has a '{}' that is no number from 0 to 1e12", key));
    return number;
  }

  /// A list or an object of at most `most` elements.
  const nlohmann::json& collection(const char* key, bool is_list, std::size_t most) const {
    const nlohmann::json& value = at(key);
    if (is_list ? !value.is_array() : !value.is_object()) {
      refuse(fmt::format("has a '{}' that is no {}", key, is_list ? "list" : "object"));
    }
    if (value.size() > most) {
      refuse(fmt::format("has {} elements in '{}', over the limit of {}", value.size(), key, most));
    }
    return value;
  }

 private:
  const nlohmann::json& object_;
  std::string what_;
};

TableEntry read_entry(const nlohmann::json& object, std::string what) {
  const Reader reader(object, std::move(what));
  TableEntry entry;
  entry.key = {reader.text("node", most_node), reader.integer("tokens"), reader.integer("places")};
  entry.choice.kernel = reader.text("kernel", most_name);
  for (const auto& [name, value] : reader.collection("values", false, most_values).items()) {
    if (name.size() > most_name) reader.refuse(fmt::format("has a value with a name of {} bytes", name.size()));
    entry.choice.values.emplace(name, reader.integer(value, name));
  }
  entry.microseconds = reader.time("us");
  entry.rule_microseconds = reader.time("rule_us");
  for (const nlohmann::json& module : reader.collection("modules", true, most_modules)) {
    entry.modules.push_back(reader.text(module, "modules", most_name));
  }
  entry.code = reader.text("code", most_name);
  return entry;
}

// Drivers' strings need not be UTF-8.
std::string dumped(const nlohmann::json& document) {
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

double rounded(double value) { return std::round(value * 1000) / 1000; }

}  // namespace

void Table::set(TableEntry entry) {
  const auto same = std::ranges::find(entries, entry.key, &TableEntry::key);
  if (same == entries.end()) {
    entries.push_back(std::move(entry));
  } else {
    *same = std::move(entry);
  }
}

std::string to_text(const Table& table) {
  std::string text = fmt::format("{{\"format\": {}, \"device\": {}, \"api\": {}, \"driver\": {}, \"entries\": [",
                                 format, dumped(table.device), dumped(table.api), dumped(table.driver));
  bool is_first = true;
  for (const TableEntry& entry : table.entries) {
    nlohmann::ordered_json line;
    line["node"] = entry.key.node;
    line["tokens"] = entry.key.tokens;
    line["places"] = entry.key.places;
    line["kernel"] = entry.choice.kernel;
    line["values"] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : entry.choice.values) line["values"][name] = value;
    line["us"] = rounded(entry.microseconds);
    line["rule_us"] = rounded(entry.rule_microseconds);
    line["modules"] = entry.modules;
    line["code"] = entry.code;
    text += fmt::format("{}\n{}", is_first ? "" : ",", line.dump());
    is_first = false;
  }
  return text + "\n]}\n";
}

Table parse_table(std::string_view text, std::string_view what) {
  if (text.size() > most_bytes) {
    throw InvalidInput(fmt::format("{} has {} bytes, over the limit of {}.", what, text.size(), most_bytes));
  }
  const nlohmann::json document = parse_json(text, what, {.depth = 5});
  const Reader reader(document, std::string(what));
  if (const std::uint32_t found = reader.integer("format"); found != format) {
    reader.refuse(fmt::format("is of format {}; this version reads {}", found, format));
  }
  Table table{.device = reader.text("device", most_node),
              .api = reader.text("api", most_node),
              .driver = reader.text("driver", most_node)};
  std::size_t number = 0;
  for (const nlohmann::json& entry : reader.collection("entries", true, most_entries)) {
    table.entries.push_back(read_entry(entry, fmt::format("{}: entry {}", what, ++number)));
  }
  return table;
}

std::size_t add_choices(const Table& table, bool only_current, graph::Choices& choices) {
  std::size_t count = 0;
  for (const TableEntry& entry : table.entries) {
    if (only_current && entry.code != fingerprint(entry.modules)) continue;
    choices.add(entry.key, entry.choice);
    ++count;
  }
  return count;
}

}  // namespace driftwood::tuning
