#include "diffusion/noise.h"

#include <cmath>
#include <numbers>

namespace driftwood::diffusion {
namespace {

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  constexpr int rounds = 10;
  constexpr std::uint64_t multipliers[] = {0xD2511F53, 0xCD9E8D57};
  constexpr std::uint32_t weyl[] = {0x9E3779B9, 0xBB67AE85};  // the golden ratio and the square root of 3, less 1
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t first = multipliers[0] * counter[0];
    const std::uint64_t second = multipliers[1] * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1], low(first)};
    key = {key[0] + weyl[0], key[1] + weyl[1]};
  }
  return counter;
}

std::array<float, 4> NoiseSource::block(std::uint64_t number) const {
  const auto words = philox({low(number), high(number), low(stream_), high(stream_)}, {low(seed_), high(seed_)});
  std::array<float, 4> result;
  for (std::size_t pair = 0; pair < 4; pair += 2) {
    const double uniform = (words[pair] + 0.5) * 0x1p-32;  // neither 0 nor 1
    const double radius = std::sqrt(-2 * std::log(uniform));
    const double angle = words[pair + 1] * 0x1p-32 * 2 * std::numbers::pi;
    result[pair] = static_cast<float>(radius * std::cos(angle));
    result[pair + 1] = static_cast<float>(radius * std::sin(angle));
  }
  return result;
}

void NoiseSource::fill(std::span<float> values) {
  std::array<float, 4> numbers{};
  for (std::size_t i = 0; i < values.size(); ++i, ++next_) {
    if (i == 0 || next_ % 4 == 0) numbers = block(next_ / 4);
    values[i] = numbers[next_ % 4];
  }
}

}  // namespace driftwood::diffusion
