#include "gpu/webgpu/matrix_configs.h"

namespace driftwood::gpu::webgpu {
namespace {

constexpr std::uint32_t f32 = 1, f16 = 2, most_kinds = 6, side = 16;
// Words of a configuration: component, result, m, n, k, and since 2026 the sizes of subgroups that it needs.
constexpr std::size_t shorter = 5, longer = 7;

// The library does not say which form it has. The longer one, read as the shorter, shows sizes of subgroups where a
// kind of component should be.
std::size_t words_of_a_config(const DawnMatrixConfigs& configs) {
  const auto is_kind = [](std::uint32_t word) { return word >= 1 && word <= most_kinds; };
  for (std::size_t i = 0; i < configs.count; ++i) {
    const std::uint32_t* config = configs.words + i * shorter;
    if (!is_kind(config[0]) || !is_kind(config[1]) || is_kind(config[2])) return longer;
  }
  return shorter;
}

}  // namespace

bool multiplies_our_matrices(const DawnMatrixConfigs& configs) {
  const std::size_t words = words_of_a_config(configs);
  for (std::size_t i = 0; i < configs.count; ++i) {
    const std::uint32_t* config = configs.words + i * words;
    if (config[0] == f16 && config[1] == f32 && config[2] == side && config[3] == side && config[4] == side)
      return true;
  }
  return false;
}

}  // namespace driftwood::gpu::webgpu
