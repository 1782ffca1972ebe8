// Text generation: prompt ids in, tokens and text out as they come.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llm/decoding.h"
#include "llm/ngram_draft.h"
#include "llm/sampler.h"
#include "llm/session.h"
#include "text/tokenizer.h"

namespace driftwood::llm {

enum class FinishReason : std::uint8_t {
  EndOfText,  // an end-of-generation token, or a stop text
  Length,     // the limit on new tokens
  Context,    // the context is full
  Cancelled,  // GenerateSettings::cancelled said so
};

/// "stop", "length" (of either limit) or "cancelled".
std::string_view to_string(FinishReason reason);

struct GenerateSettings {
  std::uint32_t max_tokens = 256;
  SamplerSettings sampler = {};
  bool ignore_end = false;              // end-of-generation tokens do not stop
  std::vector<std::string> stops = {};  // texts that end the generation; they are not part of the result
  /// Drafts of several tokens at a time, off by default. They change the speed, not the text (speculation.h).
  DraftSettings draft = {};
  SamplingPlace sampling = SamplingPlace::Auto;
  /// Asked after each token, and between the submissions of a long prompt; true ends the generation. What was generated
  /// stays in the result, and what was fed in the session.
  std::function<bool()> cancelled = {};
};

struct Generated {
  std::vector<std::int32_t> tokens;  // without the end-of-generation token that stopped
  std::string text;
  FinishReason finish = FinishReason::Length;
  double prompt_ms = 0;
  double predicted_ms = 0;
  double host_ms = 0;                       // of these, those in which the host did not wait for the device
  bool sampled_on_device = false;           // the tokens after the first
  std::uint64_t drafted = 0, accepted = 0;  // tokens
};

/// Receives text as it is certain: whole characters, nothing of a stop text.
using TextSink = std::function<void(std::string_view)>;
/// Receives each token.
using TokenSink = std::function<void(std::int32_t)>;

/// Feeds the prompt to the session, after what that holds, and generates. Without a tokenizer (null) there is no text
/// and nothing stops but the limits. Throws what Session::feed throws.
Generated generate(Session& session, const Tokenizer* tokenizer, std::span<const std::int32_t> prompt,
                   const GenerateSettings& settings, const TextSink& on_text = {}, const TokenSink& on_token = {});

/// Holds back text that may be the beginning of a stop text.
class StopFilter {
 public:
  explicit StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) { std::erase(stops_, std::string()); }

  /// The text that is now certain. stopped() is true once a stop text was found; what follows it is dropped.
  std::string push(std::string_view text);
  /// What was held back at the end.
  std::string flush();
  bool stopped() const { return stopped_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace driftwood::llm
