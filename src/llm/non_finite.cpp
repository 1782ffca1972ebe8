#include "llm/non_finite.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "graph/diagnosis.h"

namespace driftwood::llm {
namespace {

// Every activation of a piece has memory of its own: of 64 tokens that is some 600 MB with a model of 8 billion
// weights.
constexpr std::size_t piece_tokens = 64;

}  // namespace

std::string where_not_finite(gpu::Device& device, const models::Checkpoint& checkpoint, const SessionSettings& settings,
                             graph::ProgramSettings program, const SequencePart& part) {
  program.progress = {};
  try {
    for (std::size_t first = 0; first < part.tokens.size(); first += piece_tokens) {
      const auto piece = part.tokens.subspan(first, std::min(piece_tokens, part.tokens.size() - first));
      const auto count = static_cast<std::uint32_t>(piece.size());
      const auto position = part.position + static_cast<std::uint32_t>(first);
      // Types of activations are those of the program that ran.
      auto shape = graph_settings(settings, device.facts(), part.max_tokens, part.all_logits);
      shape.max_tokens = count;
      const auto found = graph::first_non_finite(device, models::language_graph(checkpoint, shape), program,
                                                 [&](graph::Program& run) { run.write("ids", std::as_bytes(piece)); },
                                                 {.tokens = count, .position = position});
      if (found) return fmt::format(": at positions {} to {} {}", position, position + count - 1, *found);
    }
  } catch (const OutOfMemory&) {
    return "; there is no memory left to find the operation";
  }
  return ", though a second run of the same tokens is finite";
}

}  // namespace driftwood::llm
