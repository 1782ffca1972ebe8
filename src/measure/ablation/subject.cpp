#include "measure/ablation/subject.h"

#include <fmt/format.h>

#include "base/error.h"

namespace driftwood::measure {
namespace {

class LanguageSubject : public Subject {
 public:
  LanguageSubject(gpu::Device& device, const models::Checkpoint& checkpoint, const llm::SessionSettings& settings,
                  std::uint32_t prompt, std::uint32_t generate)
      : device_(device), checkpoint_(checkpoint), settings_(settings), prompt_(prompt) {
    settings_.context = prompt + generate;
    settings_.prefill_tokens = prompt;
    settings_.ring_places = 0;
    stages_.push_back(
        {.name = fmt::format("prefill of {} tokens", prompt), .has_cache = true, .runs = {{.tokens = prompt}}});
    stages_.push_back({.name = fmt::format("decode at {} tokens", prompt), .has_cache = true, .is_decode = true});
    for (std::uint32_t i = 0; i < generate; ++i) stages_[1].runs.push_back({.tokens = 1, .position = prompt + i});
  }

  std::span<const SubjectStage> stages() const override { return stages_; }

  graph::Graph graph(std::size_t stage, const Setting& setting) const override {
    llm::SessionSettings settings = settings_;
    settings.options = setting.options;
    if (setting.cache_type) settings.cache_type = setting.cache_type;
    const gpu::DeviceFacts& facts = device_.facts();
    settings = llm::resolved(settings, checkpoint_, facts);
    return models::language_graph(checkpoint_, llm::graph_settings(settings, facts, stage == 0 ? prompt_ : 1, false));
  }

  std::shared_ptr<graph::ResourceStore> make_store(std::size_t) const override {
    const auto weights = [this, previous = static_cast<const StoredTensor*>(nullptr)](std::string_view name) mutable {
      // The one before is packed and on the device.
      if (previous != nullptr) checkpoint_.release(*previous);
      previous = checkpoint_.find(name);
      if (previous == nullptr) throw InternalError(fmt::format("The checkpoint has no tensor '{}'.", name));
      return previous->bytes;
    };
    return std::make_shared<graph::ResourceStore>(device_, weights);
  }
  std::size_t store_of(std::size_t) const override { return 0; }

 private:
  gpu::Device& device_;
  const models::Checkpoint& checkpoint_;
  llm::SessionSettings settings_;
  std::uint32_t prompt_;
  std::vector<SubjectStage> stages_ = {};
};

class ImageSubject : public Subject {
 public:
  ImageSubject(gpu::Device& device, const models::ImageCheckpoint& checkpoint,
               const diffusion::PipelineSettings& settings)
      : device_(device), checkpoint_(checkpoint), settings_(settings) {
    stages_ = {{.name = "unet", .runs = {{.tokens = 1}}}, {.name = "vae decoder", .runs = {{.tokens = 1}}}};
  }

  std::span<const SubjectStage> stages() const override { return stages_; }

  graph::Graph graph(std::size_t stage, const Setting& setting) const override {
    diffusion::PipelineSettings settings = settings_;
    settings.options = setting.options;
    return diffusion::component_graph(checkpoint_, settings, device_.facts(), stages_[stage].name);
  }

  std::shared_ptr<graph::ResourceStore> make_store(std::size_t stage) const override {
    const auto component = stage == 0 ? models::ImageComponent::Unet : models::ImageComponent::Vae;
    const auto weights = [this, component,
                          previous = static_cast<const StoredTensor*>(nullptr)](std::string_view name) mutable {
      if (previous != nullptr) checkpoint_.release(*previous);
      previous = checkpoint_.find(component, name);
      if (previous == nullptr) throw InternalError(fmt::format("The checkpoint has no tensor '{}'.", name));
      return previous->bytes;
    };
    return std::make_shared<graph::ResourceStore>(device_, weights);
  }
  std::size_t store_of(std::size_t stage) const override { return stage; }

 private:
  gpu::Device& device_;
  const models::ImageCheckpoint& checkpoint_;
  diffusion::PipelineSettings settings_;
  std::vector<SubjectStage> stages_;
};

}  // namespace

std::unique_ptr<Subject> language_subject(gpu::Device& device, const models::Checkpoint& checkpoint,
                                          const llm::SessionSettings& settings, std::uint32_t prompt,
                                          std::uint32_t generate) {
  return std::make_unique<LanguageSubject>(device, checkpoint, settings, prompt, generate);
}

std::unique_ptr<Subject> image_subject(gpu::Device& device, const models::ImageCheckpoint& checkpoint,
                                       const diffusion::PipelineSettings& settings) {
  return std::make_unique<ImageSubject>(device, checkpoint, settings);
}

}  // namespace driftwood::measure
