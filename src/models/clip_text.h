// The graph of CLIP's text encoder.
#pragma once

#include "graph/graph.h"
#include "models/image_checkpoint.h"

namespace driftwood::models {

struct ClipTextSettings {
  DataType activation_type = DataType::F32;  // as stored
  bool inner_outputs = false;                // also output what the modules inside give, as "inner/MODULE"
};

/// Input "ids" (u32 array, as many as the encoder has positions: 77), output "hidden" {W = 77, C} f32, after the final
/// layer norm. A run has all 77 tokens. Weights are named as in diffusers. Throws InvalidInput, naming the tensor and
/// both shapes, where the files do not have what the configuration says.
graph::Graph clip_text_graph(const ImageCheckpoint& checkpoint, const ClipTextSettings& settings = {});

}  // namespace driftwood::models
