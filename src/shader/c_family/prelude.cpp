#include "shader/c_family/printer.h"

namespace driftwood::shader::c_family {

std::string Prelude::require(std::string name, std::string_view text) {
  if (names_.insert(name).second) functions_.emplace_back(text);
  return name;
}

std::string Prelude::table(std::string_view space, std::string_view element_type, std::string_view dimensions,
                           std::string_view values) {
  const std::string shape = std::string(element_type) + " " + std::string(dimensions) + std::string(values);
  const auto [at, is_new] = table_names_.try_emplace(shape, "table_" + std::to_string(tables_.size()));
  if (is_new) {
    tables_.push_back(std::string(space) + std::string(element_type) + " " + at->second + std::string(dimensions) +
                      " = " + std::string(values) + ";");
  }
  return at->second;
}

std::string Prelude::text() const {
  std::string text;
  for (const std::string& each : tables_) text += each + "\n";
  if (!tables_.empty()) text += "\n";
  for (const std::string& each : functions_) text += each + "\n\n";
  return text;
}

}  // namespace driftwood::shader::c_family
