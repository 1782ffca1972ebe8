// The model that techniques are measured on: its programs under settings that differ, and what one run of each is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diffusion/pipeline.h"
#include "graph/program.h"
#include "llm/session_settings.h"
#include "models/checkpoint.h"
#include "models/image_checkpoint.h"

namespace driftwood::measure {

/// What may differ between the two sides of a comparison.
struct Setting {
  graph::GraphOptions options = {};
  std::optional<DataType> cache_type = {};  // of language models; none: the default
};

/// A part of the model that is timed by itself.
struct SubjectStage {
  std::string name;  // "prefill of 128 tokens", "unet"
  bool has_cache = false;
  bool is_decode = false;                    // a token a run
  std::vector<graph::Parameters> runs = {};  // of one measurement
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::span<const SubjectStage> stages() const = 0;
  virtual graph::Graph graph(std::size_t stage, const Setting& setting) const = 0;
  /// A store for the stage's weights, which stages may share: equal numbers of stores(), equal stores.
  virtual std::shared_ptr<graph::ResourceStore> make_store(std::size_t stage) const = 0;
  virtual std::size_t store_of(std::size_t stage) const = 0;
};

/// Prefill of `prompt` tokens, and decoding of `generate` tokens after them.
std::unique_ptr<Subject> language_subject(gpu::Device& device, const models::Checkpoint& checkpoint,
                                          const llm::SessionSettings& settings, std::uint32_t prompt,
                                          std::uint32_t generate);

/// A call of the UNet, and the decoder of the VAE.
std::unique_ptr<Subject> image_subject(gpu::Device& device, const models::ImageCheckpoint& checkpoint,
                                       const diffusion::PipelineSettings& settings);

}  // namespace driftwood::measure
