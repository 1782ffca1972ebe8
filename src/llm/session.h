// A language model on a device: one set of weights and one KV cache, two programs (prefill and decode).
//
//   const auto checkpoint = models::Checkpoint::open("model.gguf");
//   auto device = gpu::open_device("");
//   llm::Session session(*device, checkpoint, {.context = 2048});
//   std::vector<float> logits = session.feed(prompt_ids);   // of the last token
//   logits = session.feed(std::array{next});                // one more
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/device.h"
#include "graph/program.h"
#include "kernels/source.h"
#include "models/checkpoint.h"
#include "models/language_graph.h"

namespace driftwood::llm {

struct SessionSettings {
  // Tokens that the KV cache holds; 0: all that the model was trained for; none: the same, at most default_context.
  std::optional<std::uint32_t> context = {};
  std::uint32_t prefill_tokens = 512;  // most tokens of one prefill run
  graph::GraphOptions options = {};
  /// Called while kernels are compiled and weights uploaded: steps done, steps in all.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

/// The context of a session where the caller asks for none: enough for a chat, and a cache that fits anywhere.
inline constexpr std::uint32_t default_context = 4096;

class Session {
 public:
  /// Compiles the programs and uploads the weights. `device` and `checkpoint` must outlive the session.
  Session(gpu::Device& device, const models::Checkpoint& checkpoint, SessionSettings settings = {});

  std::uint32_t context() const { return *settings_.context; }
  std::uint32_t vocabulary() const { return checkpoint_.config().vocabulary; }
  /// Tokens in the cache.
  std::uint32_t position() const { return position_; }

  /// Appends tokens and gives the logits after the last one, `vocabulary()` values. Throws InvalidInput for no tokens,
  /// an id outside the vocabulary, or more tokens than the context has room for; the cache is then as it was.
  std::vector<float> feed(std::span<const std::int32_t> ids);
  /// The same without waiting for or reading the logits; read_logits() gives them.
  void submit(std::span<const std::int32_t> ids);
  void read_logits(std::vector<float>& logits);

  /// Appends tokens and hands over the logits of each, in order: (index in ids, logits).
  void feed_all(std::span<const std::int32_t> ids,
                const std::function<void(std::size_t, std::span<const float>)>& each);

  /// Forgets the tokens from `position` on.
  void rewind(std::uint32_t position);
  void reset() { rewind(0); }

  const graph::Program& prefill_program() const { return *prefill_; }
  const graph::Program& decode_program() const { return *decode_; }
  graph::Program& prefill_program() { return *prefill_; }
  graph::Program& decode_program() { return *decode_; }
  /// Weights and cache once, activations of the larger program of the two plus the other.
  graph::MemoryReport memory() const;

 private:
  void check(std::span<const std::int32_t> ids) const;
  std::unique_ptr<graph::Program> make_program(std::uint32_t max_tokens, bool all_logits);

  gpu::Device& device_;
  const models::Checkpoint& checkpoint_;
  SessionSettings settings_;
  std::shared_ptr<graph::ResourceStore> store_;
  std::shared_ptr<graph::KernelCache> kernels_;
  std::unique_ptr<graph::Program> prefill_, decode_, all_logits_;
  graph::Program* last_ = nullptr;  // whose output holds the logits
  std::uint32_t position_ = 0;
  std::size_t steps_done_ = 0;
};

/// The context that is asked for (as SessionSettings::context) in tokens. Throws InvalidInput where it is over the
/// limit, or where it is to be the model's own and its files do not say one.
std::uint32_t resolved_context(std::optional<std::uint32_t> context, const models::Checkpoint& checkpoint);

/// Settings with the defaults filled in from the model.
SessionSettings resolved(const SessionSettings& settings, const models::Checkpoint& checkpoint);

/// How a model's graph is stored for a precision: caches in f16 on GPUs unless f32 is asked for.
models::LanguageGraphSettings graph_settings(const SessionSettings& settings, const gpu::DeviceFacts& facts,
                                             std::uint32_t max_tokens, bool all_logits);

}  // namespace driftwood::llm
