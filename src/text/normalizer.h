// Changes that a tokenizer makes to a text before it cuts it (the `normalizer` of a tokenizer.json).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace driftwood {

enum class NormalizerStep : std::uint8_t {
  ComposedForm,  // Unicode's normalization form C
  SingleSpaces,  // each stretch of White_Space becomes one space
  LowerCase,     // character by character, without regard to context: a final sigma is like any other
};

/// `text` after the steps, in order. Bytes that are no UTF-8 stay as they are, and no form is composed across them.
/// Takes time near-linear in the length, whatever the text.
std::string normalize(std::string_view text, std::span<const NormalizerStep> steps);

}  // namespace driftwood
