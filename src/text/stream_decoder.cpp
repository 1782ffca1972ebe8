#include "text/stream_decoder.h"

#include <utility>

#include "text/utf8.h"

namespace driftwood {

std::string StreamDecoder::push(std::int32_t id) {
  waiting_ += tokenizer_.decode_next(id, options_);
  std::string whole = std::exchange(waiting_, {});
  const std::size_t incomplete = utf8::incomplete_suffix(whole);
  waiting_ = whole.substr(whole.size() - incomplete);
  whole.resize(whole.size() - incomplete);
  return whole;
}

std::string StreamDecoder::flush() { return std::exchange(waiting_, {}); }

}  // namespace driftwood
