// Model files of real size that tests read where they are there (tools/fetch_models.sh).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace driftwood::test {

/// models/FILE; nothing where it is not there, which `make test`, having fetched all, counts as a failure: it sets
/// DRIFTWOOD_NEEDS_MODELS.
inline std::optional<std::filesystem::path> model_file(const std::string& file) {
  const std::filesystem::path path = std::filesystem::path(DRIFTWOOD_SOURCE_DIR) / "models" / file;
  if (std::filesystem::exists(path)) return path;
  if (std::getenv("DRIFTWOOD_NEEDS_MODELS") != nullptr) ADD_FAILURE() << path << " is missing";
  return std::nullopt;
}

}  // namespace driftwood::test
