// Logits that are no numbers: where they come from.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "graph/program.h"
#include "llm/session_settings.h"

namespace driftwood::llm {

/// Tokens of a run and the position of the first of them; the most tokens that the program takes, and whether it gives
/// the logits of all.
struct SequencePart {
  std::span<const std::int32_t> tokens;
  std::uint32_t position = 0;
  std::uint32_t max_tokens = 1;
  bool all_logits = false;
};

/// Runs the part again, in pieces, with every activation kept, on caches that hold what is before it. Says at which
/// positions numbers end and what gives the first that is none, to be put after "are not finite".
std::string where_not_finite(gpu::Device& device, const models::Checkpoint& checkpoint, const SessionSettings& settings,
                             graph::ProgramSettings program, const SequencePart& part);

}  // namespace driftwood::llm
