// Rotary position embedding of every head: (x {W = tokens, C = heads * head_size}, frequencies {C = rotary / 2}) ->
// shape of x. Token t has position p = parameters.position + t; pair i turns by the angle p * frequencies[i].
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

enum class RopePairing : std::uint8_t {
  Halves,    // channel i with i + rotary / 2 (NeoX)
  Adjacent,  // channel 2 i with 2 i + 1
};

std::string_view to_string(RopePairing pairing);

struct Rope {
  static constexpr std::string_view name = "rope";
  std::uint32_t head_size = 0;
  std::uint32_t rotary = 0;  // channels of a head that turn, an even number; the rest pass through
  RopePairing pairing = RopePairing::Halves;
  float magnitude = 1;  // factor of sine and cosine
  bool operator==(const Rope&) const = default;
};

/// The part of the rule that RopeQkv shares. Throws InvalidInput.
void check_rope(std::string_view operation, const Rope& rope, const Operand& frequencies);

std::vector<Shape> output_shapes(const Rope&, std::span<const Operand> inputs);

}  // namespace driftwood::graph
