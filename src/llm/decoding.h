// Token after token: where each is chosen, and how far the device runs ahead of the host.
//
// On the host, logits are read back, and a step is submitted when its token is known. On the device nothing waits: some
// steps are queued while the host still waits for the token of the first of them. Steps that turn out not to be wanted
// (the text ended) are dropped; the session never holds their tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "llm/ngram_draft.h"
#include "llm/sampler.h"
#include "llm/session.h"

namespace driftwood::llm {

enum class SamplingPlace : std::uint8_t {
  Auto,  // on GPUs' devices on the device where it can be, else on the host
  Host,
  Device,
};

class Decoding {
 public:
  virtual ~Decoding() = default;
  /// The token chosen after `token`, which follows all that was given before; at most `room` (at least 1) tokens more
  /// will be asked for, this one counted. Throws what Session::feed throws.
  virtual std::int32_t after(std::int32_t token, std::size_t room) = 0;
  /// Tokens in the session that are part of the text: all but the last that was chosen.
  virtual std::uint32_t position() const = 0;
  virtual bool is_on_device() const = 0;
  virtual std::uint64_t drafted() const { return 0; }   // tokens
  virtual std::uint64_t accepted() const { return 0; }  // of them
};

/// The session holds the text so far; `sampler` has accepted it. Drafts are checked on the host. Throws Unsupported
/// where sampling is to be on the device and cannot be. All arguments but the settings must outlive what is given.
std::unique_ptr<Decoding> make_decoding(Session& session, Sampler& sampler, const DraftSettings& drafts = {},
                                        SamplingPlace place = SamplingPlace::Auto);

}  // namespace driftwood::llm
