// Noise from a seed, the same on every machine and in whatever order it is drawn.
//
// Random words come from Philox4x32-10, a generator without state: Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", 2011. The key is the seed; the counter is the number of the block and, in its upper half, the stream.
// Normal numbers come from pairs of words by Box and Muller's method in double precision, rounded to float. C libraries
// differ in the last bit of a logarithm or a cosine in double, which float does not see but once in some hundred
// million numbers, and then by its own last bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace driftwood::diffusion {

/// Four random words: Philox4x32 with ten rounds.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Streams of standard normal numbers: what each stream of a picture's seed is for is in pipeline.h; pictures of one
/// command have seeds that follow one another.
class NoiseSource {
 public:
  NoiseSource(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  /// The next numbers of the stream: two calls give what one call for both gives.
  void fill(std::span<float> values);

 private:
  std::array<float, 4> block(std::uint64_t number) const;

  std::uint64_t seed_, stream_;
  std::uint64_t next_ = 0;
};

}  // namespace driftwood::diffusion
