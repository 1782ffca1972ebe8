// What a real model on a device is held to: the oracles of tests/data/real, whose README gives the tolerances.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "llm/generate.h"
#include "llm/log_sum_exp.h"
#include "llm/session.h"
#include "support/devices.h"
#include "support/model_file.h"
#include "support/oracle.h"

namespace driftwood::llm {

struct Tolerance {
  double logit, likelihood;
};
/// Single precision, and what is the default: halves in the KV cache.
inline constexpr Tolerance single{0.01, 0.0002}, half{0.15, 0.003};

inline nlohmann::json real_oracle(const std::string& model, const std::string& name) {
  return test::read_json(std::string(DRIFTWOOD_TEST_DATA) + "/real/" + model + "/" + name + ".json");
}

/// The session of a file of models/, made once for the process; null where the file or the OpenCL device is missing.
inline Session* real_session(const std::string& file, graph::Precision precision,
                             std::optional<DataType> cache_type = {}) {
  struct Model {
    models::Checkpoint checkpoint;
    std::map<std::pair<graph::Precision, std::optional<DataType>>, std::unique_ptr<Session>> sessions = {};
  };
  static std::map<std::string, std::unique_ptr<Model>> loaded;
  const auto path = test::model_file(file);
  if (!path || test::device("opencl:0") == nullptr) return nullptr;
  std::unique_ptr<Model>& model = loaded[file];
  if (!model) model = std::make_unique<Model>(models::Checkpoint::open(*path));
  std::unique_ptr<Session>& session = model->sessions[{precision, cache_type}];
  if (!session) {
    SessionSettings settings{.context = 2048, .cache_type = cache_type};
    settings.options.precision = precision;
    session = std::make_unique<Session>(*test::device("opencl:0"), model->checkpoint, settings);
  }
  return session.get();
}

inline void expect_logits(const nlohmann::json& expected, std::span<const float> logits, const Tolerance& tolerance) {
  for (std::size_t i = 0; i < expected["top_ids"].size(); ++i)
    ASSERT_NEAR(logits[expected["top_ids"][i].get<std::size_t>()], expected["top_logits"][i].get<double>(),
                tolerance.logit);
  EXPECT_NEAR(log_sum_exp(logits), expected["logsumexp"].get<double>(), tolerance.logit);
  double sum = 0, squares = 0;
  for (const float logit : logits) sum += logit;
  const double mean = sum / static_cast<double>(logits.size());
  for (const float logit : logits) squares += (logit - mean) * (logit - mean);
  EXPECT_NEAR(mean, expected["mean"].get<double>(), tolerance.logit);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(logits.size())), expected["std"].get<double>(), tolerance.logit);
}

/// logits.json: each prompt in pieces that end where the oracle has logits, so that one pass gives all of them.
inline void expect_prompts(Session& session, const nlohmann::json& prompts, const Tolerance& tolerance) {
  for (const nlohmann::json& prompt : prompts) {
    const auto ids = prompt["prompt_ids"].get<std::vector<std::int32_t>>();
    std::map<std::size_t, const nlohmann::json*> positions = {{prompt["position"].get<std::size_t>(), &prompt}};
    for (const nlohmann::json& other : prompt["others"]) positions[other["position"].get<std::size_t>()] = &other;
    session.reset();
    std::size_t done = 0;
    for (const auto& [position, expected] : positions) {
      SCOPED_TRACE(prompt["name"].get<std::string>() + " at " + std::to_string(position));
      expect_logits(*expected, session.feed(std::span(ids).subspan(done, position + 1 - done)), tolerance);
      done = position + 1;
    }
  }
}

/// perplexity.json: the likelihood of each token, and their mean.
inline void expect_likelihood(Session& session, const nlohmann::json& expected, const Tolerance& tolerance) {
  const auto ids = expected["ids"].get<std::vector<std::int32_t>>();
  double sum = 0;
  session.reset();
  session.feed_all(ids, [&](std::size_t i, std::span<const float> logits) {
    if (i + 1 == ids.size()) return;
    const double nll = log_sum_exp(logits) - logits[static_cast<std::size_t>(ids[i + 1])];
    // Two logits and their difference.
    EXPECT_NEAR(nll, expected["nll"][i].get<double>(), 2 * tolerance.logit) << "of token " << i + 1;
    sum += nll;
  });
  EXPECT_NEAR(sum / static_cast<double>(ids.size() - 1), expected["mean_nll"].get<double>(), tolerance.likelihood);
}

/// The perplexity of perplexity.json's text, against the oracle's.
inline void expect_perplexity(Session& session, const nlohmann::json& expected, double relative) {
  const auto ids = expected["ids"].get<std::vector<std::int32_t>>();
  double sum = 0;
  session.reset();
  session.feed_all(ids, [&](std::size_t i, std::span<const float> logits) {
    if (i + 1 < ids.size()) sum += log_sum_exp(logits) - logits[static_cast<std::size_t>(ids[i + 1])];
  });
  const double difference = sum / static_cast<double>(ids.size() - 1) - expected["mean_nll"].get<double>();
  EXPECT_LT(std::abs(std::exp(difference) - 1), relative);
}

/// generate.json: greedy tokens, up to the first whose margin rounding may turn.
inline void expect_greedy(Session& session, const nlohmann::json& prompts, double least_margin = 0) {
  for (const nlohmann::json& prompt : prompts) {
    SCOPED_TRACE(prompt["prompt"].get<std::string>());
    auto expected = prompt["greedy_ids"].get<std::vector<std::int32_t>>();
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (prompt["margins"][i].get<double>() < least_margin) expected.resize(i);
    if (expected.empty()) continue;
    session.reset();
    const Generated generated =
        generate(session, nullptr, prompt["prompt_ids"].get<std::vector<std::int32_t>>(),
                 {.max_tokens = static_cast<std::uint32_t>(expected.size()), .sampler = {.temperature = 0}});
    EXPECT_EQ(generated.tokens, expected);
  }
}

}  // namespace driftwood::llm
