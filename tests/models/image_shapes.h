// Stable Diffusion 1.4 at its real size from its shapes alone (tests/data/sd/sd14_shapes.json).
#pragma once

#include "models/image_checkpoint.h"
#include "support/oracle.h"

namespace driftwood::testing {

inline const nlohmann::json& real_shapes() {
  static const nlohmann::json shapes = test::read_json(DRIFTWOOD_TEST_DATA "/sd/sd14_shapes.json");
  return shapes;
}

/// Tensors of a component, without data, named as in the published files.
inline std::vector<StoredTensor> real_tensors(models::ImageComponent component, DataType type = DataType::F16) {
  std::vector<StoredTensor> tensors;
  for (const auto& [name, shape] : real_shapes().at(std::string(to_string(component))).at("tensors").items()) {
    auto dims = shape.get<std::vector<std::uint64_t>>();
    tensors.push_back({.name = name, .type = type, .dims = {dims.rbegin(), dims.rend()}, .bytes = {}});
  }
  return tensors;
}

/// The text of a component's config.json: as published, or with every default written out.
inline std::string real_config(models::ImageComponent component, const char* key = "config") {
  return real_shapes().at(std::string(to_string(component))).at(key).dump();
}

inline models::ImageCheckpoint real_model() {
  using models::ImageComponent;
  return models::ImageCheckpoint::from_shapes(parse_clip_text_config(real_config(ImageComponent::TextEncoder)),
                                              parse_unet_config(real_config(ImageComponent::Unet)),
                                              parse_vae_config(real_config(ImageComponent::Vae)),
                                              {real_tensors(ImageComponent::TextEncoder),
                                               real_tensors(ImageComponent::Unet), real_tensors(ImageComponent::Vae)});
}

}  // namespace driftwood::testing
