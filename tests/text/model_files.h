// The real model files that some tests read, and the oracles beside them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "formats/gguf.h"
#include "support/model_file.h"
#include "text/tokenizer.h"
#include "text/tokenizer_gguf.h"

namespace driftwood {

inline nlohmann::json read_oracle(const std::string& model, const std::string& name) {
  std::ifstream stream(std::string(DRIFTWOOD_TEST_DATA) + "/real/" + model + "/" + name + ".json");
  return nlohmann::json::parse(stream);
}

/// The tokenizer of models/FILE, read once; null where the file is not there.
inline const Tokenizer* tokenizer_of(const std::string& file) {
  static std::map<std::string, std::unique_ptr<Tokenizer>> known;
  const auto at = known.find(file);
  if (at != known.end()) return at->second.get();
  std::unique_ptr<Tokenizer>& tokenizer = known[file];
  if (const auto path = test::model_file(file)) {
    const GgufFile gguf = GgufFile::open(*path);
    tokenizer = Tokenizer::create(load_tokenizer_data(gguf.metadata()));
  }
  return tokenizer.get();
}

inline constexpr const char* smollm2_file = "SmolLM2-135M-Instruct.Q4_1.gguf";
inline constexpr const char* gemma3_file = "gemma-3-270m-q4_k_m.gguf";

}  // namespace driftwood

/// `tokenizer` is the model's, or the test is skipped.
#define TOKENIZER_OR_SKIP(tokenizer, file)                                         \
  const ::driftwood::Tokenizer* const tokenizer = ::driftwood::tokenizer_of(file); \
  if (tokenizer == nullptr) GTEST_SKIP() << "models/" << (file) << " is missing; tools/fetch_models.sh fetches it"
