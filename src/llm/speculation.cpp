#include "llm/speculation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace driftwood::llm {

SpeculativeDecoder::SpeculativeDecoder(Session& session, const DraftSettings& settings)
    : SpeculativeDecoder(session, settings.tokens, [settings](std::span<const std::int32_t> text, std::size_t most) {
        return ngram_draft(text, settings, most);
      }) {}

SpeculativeDecoder::SpeculativeDecoder(Session& session, std::uint32_t draft_tokens, Drafter draft)
    : session_(session),
      most_(std::min<std::size_t>(std::size_t{draft_tokens} + 1, session.longest_run())),
      draft_(std::move(draft)) {
  if (draft_tokens > max_draft_tokens)
    throw InvalidInput(fmt::format("A draft of {} tokens is over the limit of {}.", draft_tokens, max_draft_tokens));
  if (most_ > 1) text_.assign(session.tokens().begin(), session.tokens().end());
}

std::span<const float> SpeculativeDecoder::after(std::int32_t token, std::size_t room) {
  const std::size_t row = session_.vocabulary();
  if (used_ < batch_.size() && batch_[used_] == token) {
    ++accepted_;
    text_.push_back(token);
    return std::span(logits_).subspan(row * used_++, row);
  }
  drop_draft();
  std::vector<std::int32_t> batch = {token};
  if (most_ > 1) {
    text_.push_back(token);
    const std::size_t free = session_.context() - session_.position();
    const auto draft = draft_(text_, std::min({room, free, most_}) - 1);
    batch.insert(batch.end(), draft.begin(), draft.end());
    drafted_ += draft.size();
  }
  if (batch.size() == 1) {
    session_.submit(batch);
    session_.read_logits(logits_);
  } else {
    session_.feed_batch(batch, static_cast<std::uint32_t>(most_), logits_);
  }
  batch_ = std::move(batch);
  used_ = 1;
  return std::span(logits_).first(row);
}

void SpeculativeDecoder::drop_draft() {
  if (used_ < batch_.size()) session_.rewind(position());
  batch_.clear();
  used_ = 0;
}

}  // namespace driftwood::llm
