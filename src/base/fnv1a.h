// FNV-1a, 64 bit (http://www.isthe.com/chongo/tech/comp/fnv/): names of files and checks, against accidents alone.
#pragma once

#include <cstdint>
#include <string_view>

namespace driftwood {

/// The hash of the text, or of what gave `hash` with the text behind it.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325U) {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

}  // namespace driftwood
