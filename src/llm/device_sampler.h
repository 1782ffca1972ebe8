// Sampling on the device: two kernels behind the decode program choose the next token from its logits and leave id and
// position where its next run reads them (graph/operations/sample_token.h). The host only hears of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/device.h"
#include "graph/program.h"
#include "llm/sampler.h"

namespace driftwood::llm {

class DeviceSampler {
 public:
  /// How the device chooses by these settings; nothing where only the host can: all of the vocabulary is to be drawn
  /// from, or more of it than SampleToken::max_top_k, or a penalty looks further back than max_window.
  static std::optional<graph::SampleToken> operation(const SamplerSettings& settings);
  static constexpr std::uint32_t max_window = 1024;

  /// `decode` gives logits of one token; its "ids" has room for a texel. Throws Unsupported where the device has no
  /// kernel for it.
  DeviceSampler(graph::Program& decode, std::shared_ptr<graph::KernelCache> kernels,
                const graph::SampleToken& operation);

  /// Starts a generation after `text`. `draws`: random numbers already used.
  void begin(const SamplerSettings& settings, std::uint64_t draws, std::span<const std::int32_t> text);

  struct Choice {
    std::int32_t id = 0;
    bool is_finite = true;  // else the logits are not
  };
  /// A choice on its way to the host.
  class Pending {
   public:
    Choice wait();

   private:
    friend class DeviceSampler;
    explicit Pending(std::unique_ptr<gpu::PendingRead> read) : read_(std::move(read)) {}
    std::unique_ptr<gpu::PendingRead> read_;
  };
  /// Chooses the token at `position` from the logits of the last run submitted, of the token before it. Returns without
  /// waiting.
  Pending choose(std::uint32_t position);

 private:
  void write_uniforms(std::uint32_t position);

  gpu::Device& device_;
  std::uint32_t places_;  // of the history
  bool draws_numbers_;    // else the likeliest token is taken
  std::unique_ptr<graph::Program> program_;
  std::uint64_t seed_ = 0, draws_ = 0;
  std::uint32_t drawn_ = 0;  // of the uniform numbers that are on the device
};

}  // namespace driftwood::llm
