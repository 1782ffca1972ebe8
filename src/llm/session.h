// A language model on a device: one set of weights and one KV cache, two programs (prefill and decode).
//
//   const auto checkpoint = models::Checkpoint::open("model.gguf");
//   auto device = gpu::open_device("");
//   llm::Session session(*device, checkpoint, {.context = 2048});
//   std::vector<float> logits = session.feed(prompt_ids);   // of the last token
//   logits = session.feed(std::array{next});                // one more
//
// The session knows the tokens that it holds: a next prompt that begins with the same ones need feed only the rest
// (reuse). Any number of tokens runs on the compiled programs; a long prompt goes in several submissions, none longer
// than a device bears (prefill_chunks.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "graph/program.h"
#include "kernels/source.h"
#include "llm/device_sampler.h"
#include "llm/prefill_chunks.h"
#include "llm/session_settings.h"

namespace driftwood::llm {

class Session {
 public:
  /// Compiles the programs and uploads the weights. `device` and `checkpoint` must outlive the session.
  Session(gpu::Device& device, const models::Checkpoint& checkpoint, const SessionSettings& settings = {});

  std::uint32_t context() const { return *settings_.context; }
  std::uint32_t vocabulary() const { return checkpoint_.config().vocabulary; }
  /// As stored in the KV cache.
  DataType cache_type() const { return *settings_.cache_type; }
  /// Number of tokens that the session holds.
  std::uint32_t position() const { return static_cast<std::uint32_t>(tokens_.size()); }
  std::span<const std::int32_t> tokens() const { return tokens_; }
  /// Most tokens of one run: what a ring has places for beside its window.
  std::uint32_t longest_run() const { return longest_run_; }

  /// Appends tokens and gives the logits after the last one, `vocabulary()` values. Throws InvalidInput for no tokens,
  /// an id outside the vocabulary, or more tokens than the context has room for, and Unsupported where logits are not
  /// finite, naming the operation where that began; the session then holds what it held before.
  std::vector<float> feed(std::span<const std::int32_t> ids);
  /// The same without waiting for or reading the last logits; read_logits() gives them. `go_on` is asked between
  /// submissions: where it says false the rest is dropped, and so is the result.
  bool submit(std::span<const std::int32_t> ids, const std::function<bool()>& go_on = {});
  void read_logits(std::vector<float>& logits);

  /// Appends tokens and hands over the logits of each, in order: (index in ids, logits).
  void feed_all(std::span<const std::int32_t> ids,
                const std::function<void(std::size_t, std::span<const float>)>& each);
  /// Appends a few tokens in one run of a program for at most `most` of them, and gives the logits of each, one after
  /// the other.
  void feed_batch(std::span<const std::int32_t> ids, std::uint32_t most, std::vector<float>& logits);

  // ---- steps whose tokens the device chooses (decoding.h)

  /// What chooses tokens from the logits of the decode program, made when first asked for. Throws Unsupported where the
  /// device has no kernel for it.
  DeviceSampler& device_sampler(const graph::SampleToken& operation);
  bool computes_on_cpu() const;
  /// Runs one token more, whose id and position the device itself has left for the decode program; the session does not
  /// know it yet. Throws InvalidInput where the context has no room.
  void queue_step();
  /// Such tokens that were run and are not known.
  std::uint32_t queued() const { return cached_ > position() ? cached_ - position() : 0; }
  /// Says what the first of them is.
  void confirm(std::int32_t id);
  /// Forgets them all.
  void drop_queued() { rewind(position()); }
  /// Throws what read_logits() throws: the logits after the last token are not finite.
  [[noreturn]] void refuse_logits();

  /// Milliseconds, in all, that the host has waited for logits or tokens; what they take to be copied is counted.
  double waited_ms() const { return waited_ms_; }
  void add_wait(double ms) { waited_ms_ += ms; }

  /// Forgets the tokens from `position` on. Where the rings of a sliding window no longer hold what is before, the next
  /// tokens are fed after all that are held once more.
  void rewind(std::uint32_t position);
  void reset() { rewind(0); }
  /// Keeps the tokens that the session and `ids` begin with, though not the last of `ids`, and forgets the others: feed
  /// the rest of `ids` next. Gives the number kept.
  std::size_t reuse(std::span<const std::int32_t> ids);

  /// How activations enter the matrix kernels: Float or Int8.
  graph::ActivationMode activations() const { return decode_->lowered().activations; }

  const graph::Program& prefill_program() const { return *prefill_; }
  const graph::Program& decode_program() const { return *decode_; }
  graph::Program& prefill_program() { return *prefill_; }
  graph::Program& decode_program() { return *decode_; }
  /// Weights and cache once, activations of the larger program of the two plus the other.
  graph::MemoryReport memory() const;

 private:
  struct Run {  // the last one: where its logits are, and what it was given
    graph::Program* program = nullptr;
    std::uint32_t position = 0;
    std::uint32_t tokens = 0;
    bool all_logits = false;
  };
  void check(std::span<const std::int32_t> ids) const;
  void check_room(std::size_t tokens) const;
  graph::ProgramSettings program_settings() const;
  std::unique_ptr<graph::Program> make_program(std::uint32_t max_tokens, bool all_logits);
  graph::Program& all_logits_program(std::uint32_t max_tokens);
  template <class Work>
  void append(std::span<const std::int32_t> ids, Work work);
  void run(graph::Program& program, std::uint32_t tokens, bool all_logits = false);
  bool catch_up(std::size_t end, const std::function<bool()>& go_on);
  void count_cached(std::uint32_t tokens);
  void read_last(std::vector<float>& logits);
  [[noreturn]] void refuse_last(std::uint32_t position);

  gpu::Device& device_;
  const models::Checkpoint& checkpoint_;
  SessionSettings settings_;
  std::shared_ptr<graph::ResourceStore> store_;
  std::shared_ptr<graph::KernelCache> kernels_;
  std::unique_ptr<graph::Program> prefill_, decode_;
  std::map<std::uint32_t, std::unique_ptr<graph::Program>> all_logits_;  // by the most tokens of a run
  std::uint32_t longest_run_;                                            // tokens
  PrefillChunks chunks_;
  std::vector<std::int32_t> tokens_;
  std::uint32_t append_begin_ = 0;  // tokens before the last that were fed
  std::uint32_t cached_ = 0;        // tokens that the caches hold; the others are run before the next
  std::uint32_t ring_begin_ = 0;    // first position that the rings hold
  std::map<graph::SampleToken, std::unique_ptr<DeviceSampler>> samplers_;
  Run last_;
  double waited_ms_ = 0;
  std::vector<float> scratch_;
};

}  // namespace driftwood::llm
