#include "llm/generate.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "text/stream_decoder.h"

namespace driftwood::llm {

std::string_view to_string(FinishReason reason) {
  switch (reason) {
    case FinishReason::EndOfText: return "stop";
    case FinishReason::Length: return "length";
    case FinishReason::Context: return "length";
    case FinishReason::Cancelled: return "cancelled";
  }
  return "";
}

std::string StopFilter::push(std::string_view text) {
  if (stopped_) return {};
  held_ += text;
  std::size_t found = std::string::npos;
  for (const std::string& stop : stops_) found = std::min(found, held_.find(stop));
  if (found != std::string::npos) {
    stopped_ = true;
    std::string certain = held_.substr(0, found);
    held_.clear();
    return certain;
  }
  // The longest end of the text that a stop text begins with.
  std::size_t kept = 0;
  for (const std::string& stop : stops_)
    for (std::size_t n = std::min(stop.size() - 1, held_.size()); n > kept; --n)
      if (held_.compare(held_.size() - n, n, stop, 0, n) == 0) kept = n;
  std::string certain = held_.substr(0, held_.size() - kept);
  held_.erase(0, certain.size());
  return certain;
}

std::string StopFilter::flush() { return std::exchange(held_, {}); }

Generated generate(Session& session, const Tokenizer* tokenizer, std::span<const std::int32_t> prompt,
                   const GenerateSettings& settings, const TextSink& on_text, const TokenSink& on_token) {
  Sampler sampler(settings.sampler);
  StopFilter filter(settings.stops);
  std::optional<StreamDecoder> decoder;
  if (tokenizer != nullptr) decoder.emplace(*tokenizer);
  Generated result;
  const auto emit = [&](const std::string& text) {
    result.text += text;
    if (on_text && !text.empty()) on_text(text);
  };

  Stopwatch watch;
  const bool is_fed = session.submit(prompt, [&] { return !settings.cancelled || !settings.cancelled(); });
  std::vector<float> first_logits;
  if (is_fed) session.read_logits(first_logits);
  result.prompt_ms = watch.milliseconds();
  if (!is_fed) {
    result.finish = FinishReason::Cancelled;
    return result;
  }
  for (const std::int32_t token : session.tokens()) sampler.accept(token);

  const auto decoding = make_decoding(session, sampler, settings.draft, settings.sampling);
  watch = Stopwatch();
  const double waited_before = session.waited_ms();
  result.sampled_on_device = decoding->is_on_device();
  // Chosen here in any case: the prompt's logits have been read.
  std::int32_t token = settings.max_tokens == 0 ? 0 : sampler.sample(first_logits);
  while (true) {
    if (result.tokens.size() >= settings.max_tokens) {
      result.finish = FinishReason::Length;
      break;
    }
    if (tokenizer != nullptr && !settings.ignore_end && tokenizer->is_end_of_generation(token)) {
      result.finish = FinishReason::EndOfText;
      break;
    }
    sampler.accept(token);
    result.tokens.push_back(token);
    if (on_token) on_token(token);
    if (decoder) {
      emit(filter.push(decoder->push(token)));
      if (filter.stopped()) {
        result.finish = FinishReason::EndOfText;
        break;
      }
    }
    if (settings.cancelled && settings.cancelled()) {
      result.finish = FinishReason::Cancelled;
      break;
    }
    if (result.tokens.size() >= settings.max_tokens) continue;  // what would follow is not needed
    if (decoding->position() >= session.context()) {
      result.finish = FinishReason::Context;
      break;
    }
    token = decoding->after(token, settings.max_tokens - result.tokens.size());
  }
  result.predicted_ms = watch.milliseconds();
  result.host_ms = result.predicted_ms - (session.waited_ms() - waited_before);
  result.drafted = decoding->drafted();
  result.accepted = decoding->accepted();
  if (decoder && !filter.stopped()) {
    emit(filter.push(decoder->flush()));
    emit(filter.flush());
  }
  return result;
}

}  // namespace driftwood::llm
