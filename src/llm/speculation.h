// Decoding with drafts: a token and the draft after it run as one short batch, whose logits serve as long as the tokens
// chosen from them are those of the draft. Reading the weights once for several tokens is what is gained.
//
// Every token is still chosen from the model's own logits of exactly the tokens before it, so the text is what it would
// be without drafts, greedy or sampled with the same seed. What can differ is rounding: a short batch runs other
// kernels than a single token, and where two tokens are equally likely to the last bits another may win.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "llm/ngram_draft.h"
#include "llm/session.h"

namespace driftwood::llm {

/// At most so many tokens that may follow the text.
using Drafter = std::function<std::vector<std::int32_t>(std::span<const std::int32_t> text, std::size_t most)>;

class SpeculativeDecoder {
 public:
  /// The session holds the prompt. Throws InvalidInput for a draft over max_draft_tokens.
  SpeculativeDecoder(Session& session, const DraftSettings& settings);
  /// The same with another source of drafts, of at most `draft_tokens` tokens.
  SpeculativeDecoder(Session& session, std::uint32_t draft_tokens, Drafter draft);
  /// Takes what was drafted and not chosen out of the session.
  ~SpeculativeDecoder() { drop_draft(); }
  SpeculativeDecoder(const SpeculativeDecoder&) = delete;
  SpeculativeDecoder& operator=(const SpeculativeDecoder&) = delete;

  /// The logits after `token`, which follows all that was given before; at most `room` (at least 1) tokens more will be
  /// asked for, this one counted. The span holds until the next call.
  std::span<const float> after(std::int32_t token, std::size_t room);
  /// Tokens in the session that are part of the text.
  std::uint32_t position() const { return session_.position() - static_cast<std::uint32_t>(batch_.size() - used_); }

  std::uint64_t drafted() const { return drafted_; }
  std::uint64_t accepted() const { return accepted_; }

 private:
  void drop_draft();

  Session& session_;
  std::size_t most_;  // tokens of a batch
  Drafter draft_;
  std::vector<std::int32_t> text_;   // all tokens so far
  std::vector<std::int32_t> batch_;  // the last token and its draft; row i of logits_ is after batch_[i]
  std::vector<float> logits_;
  std::size_t used_ = 0;  // tokens of batch_ that are part of the text
  std::uint64_t drafted_ = 0, accepted_ = 0;
};

}  // namespace driftwood::llm
