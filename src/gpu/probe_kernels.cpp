#include "gpu/probe_kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "base/half.h"
#include "shader/compile.h"

namespace driftwood::gpu {
namespace {

shader::Module compiled(const char* text, const shader::Specialization& specialization = {},
                        bool has_matrices = false) {
  const auto source = [&](std::string_view path) -> std::optional<shader::SourceFile> {
    if (path != "package::probe") return std::nullopt;
    return shader::SourceFile{"probe.wgsl", text};
  };
  const shader::TargetTraits traits{.has_f16_arithmetic = true,
                                    .has_subgroups = true,
                                    .has_packed_dot = true,
                                    .has_matrices = has_matrices,
                                    .has_pipeline = true,
                                    .subgroup_size = has_matrices ? 32U : 1U};
  return shader::compile(source, "package::probe", specialization, traits);
}

constexpr std::size_t subgroup_words = 24;  // written by each invocation

constexpr const char* subgroup_text = R"(
enable subgroups;
override lanes: u32;
@group(0) @binding(0) var<storage, read_write> r: array<u32>;
@compute @workgroup_size(lanes)
fn probe(@builtin(local_invocation_index) index: u32, @builtin(subgroup_invocation_id) lane: u32,
         @builtin(subgroup_size) size: u32) {
  let v = index * 5u + 3u;
  let f = f32(v);
  let at = index * 24u;
  r[at] = size;
  r[at + 1u] = lane;
  r[at + 2u] = subgroupAdd(v);
  r[at + 3u] = u32(subgroupAdd(f));
  r[at + 4u] = u32(subgroupMax(f));
  r[at + 5u] = u32(subgroupMin(-i32(v)) + 100000);
  r[at + 6u] = subgroupShuffleXor(v, 1u);
  r[at + 7u] = u32(subgroupShuffleXor(f, size / 2u));
  r[at + 8u] = subgroupShuffle(v, (lane * 3u + 1u) % size);
  r[at + 9u] = u32(subgroupShuffle(vec2<f32>(f, f + 1.0), size - 1u - lane).y);
  r[at + 10u] = subgroupShuffleUp(v, 1u);
  r[at + 11u] = u32(subgroupShuffleUp(f, 3u));
  r[at + 12u] = subgroupShuffleDown(v, 1u);
  r[at + 13u] = u32(subgroupShuffleDown(f, 2u));
  r[at + 14u] = subgroupBroadcast(v, 1u);
  r[at + 15u] = u32(subgroupBroadcastFirst(f));
  r[at + 16u] = subgroupExclusiveAdd(v);
  r[at + 17u] = u32(subgroupInclusiveAdd(f));
  r[at + 18u] = select(0u, 1u, subgroupAll(lane < size));
  r[at + 19u] = select(0u, 1u, subgroupAll(lane != 1u));
  r[at + 20u] = select(0u, 1u, subgroupAny(lane == 1u));
  r[at + 21u] = select(0u, 1u, subgroupAny(lane == size));
  r[at + 22u] = select(0u, 1u, subgroupElect());
  r[at + 23u] = subgroupMul(select(1u, 3u, lane % 7u == 0u));
}
)";

constexpr const char* dot_text = R"(
override mixed: bool;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;
@compute @workgroup_size(8)
fn probe(@builtin(local_invocation_index) index: u32) {
  let x = a[2u * index];
  let y = a[2u * index + 1u];
  r[3u * index] = bitcast<u32>(dot4I8Packed(x, y) + i32(index));
  r[3u * index + 1u] = dot4U8Packed(x, y) + index;
  if (mixed) {
    r[3u * index + 2u] = bitcast<u32>(dot4U8I8Packed(x, y) + i32(index));
  } else {
    r[3u * index + 2u] = 0u;
  }
}
)";

// Extremes, bytes of one sign beside the other, and the order of the operands.
constexpr std::array<std::uint32_t, 16> dot_words = {
    0x00000000, 0x00000000, 0x80808080, 0x80808080, 0x7f7f7f7f, 0x80808080, 0xffffffff, 0xffffffff,
    0xff7f8001, 0x01ff7f80, 0xffffffff, 0x7f7f7f7f, 0x01020304, 0xfcfdfeff, 0xc8961e05, 0x11f3e9a7};

// What reads integers small enough that halves are exact, but for the last word.
constexpr const char* half_text = R"(
enable f16;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;
var<workgroup> shared_values: array<vec4<f16>, 4>;
var<workgroup> rounded_values: array<vec4<f16>, 4>;
@compute @workgroup_size(4)
fn probe(@builtin(local_invocation_index) index: u32) {
  let n = f16(f32(a[index]));
  let v = vec4<f16>(n, n + 1.0h, n * 2.0h, n - 8.0h);
  shared_values[index] = v * 0.5h;
  rounded_values[index] = vec4<f16>(f16(f32(n) + 2048.5 + f32(index)));
  workgroupBarrier();
  let other = shared_values[3u - index];
  let sum = select(v, other, v < other) + max(v, other) * vec4<f16>(2.0h);
  r[4u * index] = bitcast<u32>(f32(dot(v, other)));
  r[4u * index + 1u] = bitcast<u32>(f32(sum.x) + f32(sum.y) * 64.0);
  r[4u * index + 2u] = bitcast<u32>(f32(sum.z) + f32(sum.w) * 64.0);
  r[4u * index + 3u] = bitcast<u32>(f32(rounded_values[3u - index].x));
}
)";

constexpr std::array<std::uint32_t, 4> half_words = {3, 10, 6, 15};

constexpr std::uint32_t side = 16;  // of a matrix

// a: the left matrix row by row, then the right one column by column. r: twice their product and, from column 8 on,
// once.
constexpr const char* matrix_text = R"(
alias left = subgroup_matrix_left<f16, 16, 16>;
alias right = subgroup_matrix_right<f16, 16, 16>;
alias result = subgroup_matrix_result<f32, 16, 16>;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;
var<workgroup> tile: array<vec4<u32>, 64>;
var<workgroup> sums: array<vec4<u32>, 96>;
@compute @workgroup_size(32)
fn probe(@builtin(local_invocation_index) index: u32) {
  for (var i = index; i < 64u; i += 32u) {
    tile[i] = vec4<u32>(a[4u * i], a[4u * i + 1u], a[4u * i + 2u], a[4u * i + 3u]);
  }
  workgroupBarrier();
  let m = subgroupMatrixLoad<left>(&tile, 0u, false, 16u);
  let n = subgroupMatrixLoad<right>(&tile, 256u, true, 16u);
  var sum: result;
  sum = subgroupMatrixMultiplyAccumulate(m, n, sum);
  subgroupMatrixStore(&sums, 8u, sum, false, 24u);
  sum = subgroupMatrixMultiplyAccumulate(m, n, sum);
  workgroupBarrier();
  for (var k = 0u; k < 4u; k += 1u) {
    r[index / 2u * 16u + 8u + 4u * (index % 2u) + k] = sums[index / 2u * 6u + 4u + index % 2u][k];
  }
  workgroupBarrier();
  subgroupMatrixStore(&sums, 0u, sum, true, 24u);
  workgroupBarrier();
  for (var i = index; i < 128u; i += 32u) {
    r[i / 8u * 16u + i % 8u] = sums[i % 8u * 6u + i / 8u / 4u][i / 8u % 4u];
  }
}
)";

// Small integers, so that every sum is exact.
std::int32_t left_value(std::uint32_t row, std::uint32_t k) {
  return static_cast<std::int32_t>((row * 5 + k * 3) % 7) - 3;
}
std::int32_t right_value(std::uint32_t k, std::uint32_t column) {
  return static_cast<std::int32_t>((k * 2 + column * 9) % 11) - 5;
}

// Three steps through two stages at the ends of the memory: 16 columns of 64 rows of each factor, the left one read
// from memory and once more through registers.
constexpr const char* pipeline_text = R"(
override elements: u32;
@group(0) @binding(0) var<storage, read> a: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;
var<workgroup> ring: array<vec2<u32>, 4>;
var<workgroup> tile: array<vec4<u32>, elements>;
fn start(step: u32) -> u32 {
  return step % 2u * (elements - 256u);
}
fn fill(step: u32) {
  stageOpen(&ring, step % 2u, step / 2u, 4096u);
  stageCopy(&ring, step % 2u, &tile, start(step), &a, step * 256u, 128u);
  stageCopy(&ring, step % 2u, &tile, start(step) + 128u, &a, step * 256u + 128u, 128u);
}
@compute @workgroup_size(128)
fn probe(@builtin(local_invocation_index) index: u32) {
  stagesStart(&ring, 128u);
  if (index == 0u) {
    fill(0u);
    fill(1u);
  }
  var sums: array<f32, 32>;
  for (var step = 0u; step < 3u; step++) {
    stageWait(&ring, step % 2u, step / 2u);
    let at = start(step);
    workgroupMatrixMultiplyAccumulate(&sums, &tile, at, 64u, &tile, at + 128u, 64u, 1u);
    let row = at + index / 32u * 16u + index % 32u / 4u;
    let c = index % 4u;
    var left = array<vec4<u32>, 1>(vec4<u32>(tile[row][c], tile[row + 8u][c], tile[row + 64u][c], tile[row + 72u][c]));
    workgroupMatrixMultiplyAccumulate(&sums, &left, &tile, at + 128u, 64u);
    workgroupMatrixWait(&sums);
    stageRelease(&ring, step % 2u);
    if (step == 0u && index == 0u) {
      fill(2u);
    }
  }
  @unroll for (var i = 0u; i < 32u; i++) {
    r[index * 32u + i] = bitcast<u32>(sums[i]);
  }
}
)";

// Small integers, so that every sum is exact; `number` counts the rows of both factors of all steps.
int pipeline_value(std::uint32_t number, std::uint32_t column) {
  return static_cast<int>((number * 5 + column * 3 + number * column) % 9) - 4;
}

}  // namespace

ProbeKernel pipeline_probe(std::uint32_t memory) {
  shader::Specialization specialization;
  specialization.overrides["elements"] = memory / 16 - 2;
  std::vector<std::uint32_t> input;
  for (std::uint32_t factor = 0; factor < 6; ++factor) {
    for (std::uint32_t chunk = 0; chunk < 2; ++chunk) {
      for (std::uint32_t row = 0; row < 64; ++row) {
        for (std::uint32_t word = 0; word < 4; ++word) {
          const auto half = [&](std::uint32_t column) {
            return std::uint32_t{float_to_half(static_cast<float>(pipeline_value(factor * 64 + row, column)))};
          };
          const std::uint32_t column = chunk * 8 + word * 2;
          input.push_back(half(column) | half(column + 1) << 16);
        }
      }
    }
  }
  return {.module = compiled(pipeline_text, specialization), .input = std::move(input), .outputs = 128 * 32};
}

bool pipeline_is_right(std::span<const std::uint32_t> written) {
  if (written.size() != 128 * 32) return false;
  for (std::uint32_t index = 0; index < 128; ++index) {
    for (std::uint32_t i = 0; i < 32; ++i) {
      const std::uint32_t row = index / 32 * 16 + index % 32 / 4 + i / 2 % 2 * 8;
      const std::uint32_t column = i / 4 * 8 + index % 4 * 2 + i % 2;
      int sum = 0;
      for (std::uint32_t step = 0; step < 3; ++step) {
        for (std::uint32_t k = 0; k < 16; ++k) {
          sum += 2 * pipeline_value(2 * step * 64 + row, k) * pipeline_value((2 * step + 1) * 64 + column, k);
        }
      }
      if (written[index * 32 + i] != std::bit_cast<std::uint32_t>(static_cast<float>(sum))) return false;
    }
  }
  return true;
}

ProbeKernel subgroup_probe(std::uint32_t lanes) {
  shader::Specialization specialization;
  specialization.overrides["lanes"] = lanes;
  return {.module = compiled(subgroup_text, specialization), .input = {}, .outputs = lanes * subgroup_words};
}

std::optional<std::uint32_t> probed_subgroup_size(std::span<const std::uint32_t> written, std::uint32_t lanes) {
  if (written.size() != lanes * subgroup_words) return std::nullopt;
  const std::uint32_t size = written[0];
  if (size < 2 || size > lanes || !std::has_single_bit(size)) return std::nullopt;
  for (std::uint32_t index = 0; index < lanes; ++index) {
    const std::uint32_t first = index / size * size, lane = index % size;
    const auto value = [&](std::uint32_t of) { return (first + of) * 5 + 3; };
    std::uint32_t all = 0, before = 0, product = 1;
    for (std::uint32_t of = 0; of < size; ++of) {
      all += value(of);
      if (of < lane) before += value(of);
      if (of % 7 == 0) product *= 3;
    }
    const std::array<std::uint32_t, subgroup_words> wanted = {
        size,
        lane,
        all,
        all,
        value(size - 1),
        100000 - value(size - 1),
        value(lane ^ 1),
        value(lane ^ (size / 2)),
        value((lane * 3 + 1) % size),
        value(size - 1 - lane) + 1,
        value(lane - 1),
        value(lane - 3),
        value(lane + 1),
        value(lane + 2),
        value(1),
        value(0),
        before,
        before + value(lane),
        1,
        0,
        1,
        0,
        lane == 0 ? 1U : 0U,
        product,
    };
    // What is shifted in from outside the subgroup may be anything.
    const auto is_outside = [&](std::size_t word) {
      return (word == 10 && lane < 1) || (word == 11 && lane < 3) || (word == 12 && lane + 1 >= size) ||
             (word == 13 && lane + 2 >= size);
    };
    for (std::size_t word = 0; word < subgroup_words; ++word) {
      if (!is_outside(word) && written[index * subgroup_words + word] != wanted[word]) return std::nullopt;
    }
  }
  return size;
}

ProbeKernel packed_dot_probe(bool mixed) {
  shader::Specialization specialization;
  specialization.overrides["mixed"] = mixed ? 1 : 0;
  return {.module = compiled(dot_text, specialization),
          .input = {dot_words.begin(), dot_words.end()},
          .outputs = 3 * dot_words.size() / 2};
}

bool dots_are_right(std::span<const std::uint32_t> written, bool mixed) {
  if (written.size() != 3 * dot_words.size() / 2) return false;
  for (std::uint32_t i = 0; i < dot_words.size() / 2; ++i) {
    std::int32_t both = 0, one = 0;
    std::uint32_t none = 0;
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t x = (dot_words[2 * i] >> (8 * k)) & 255, y = (dot_words[2 * i + 1] >> (8 * k)) & 255;
      const auto as_signed = [](std::uint32_t byte) {
        return static_cast<std::int32_t>(byte) - (byte > 127 ? 256 : 0);
      };
      both += as_signed(x) * as_signed(y);
      one += static_cast<std::int32_t>(x) * as_signed(y);
      none += x * y;
    }
    const std::array<std::uint32_t, 3> wanted = {static_cast<std::uint32_t>(both) + i, none + i,
                                                 mixed ? static_cast<std::uint32_t>(one) + i : 0};
    if (!std::ranges::equal(wanted, written.subspan(3 * i, 3))) return false;
  }
  return true;
}

ProbeKernel half_probe() {
  return {
      .module = compiled(half_text), .input = {half_words.begin(), half_words.end()}, .outputs = 4 * half_words.size()};
}

bool halves_are_right(std::span<const std::uint32_t> written) {
  if (written.size() != 4 * half_words.size()) return false;
  for (std::size_t i = 0; i < half_words.size(); ++i) {
    const auto vector = [](std::uint32_t word) {
      const auto n = static_cast<float>(word);
      return std::array<float, 4>{n, n + 1, n * 2, n - 8};
    };
    const std::array<float, 4> v = vector(half_words[i]), mirrored = vector(half_words[3 - i]);
    std::array<float, 4> sum{};
    float dot = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const float other = mirrored[k] * 0.5F;
      dot += v[k] * other;
      sum[k] = std::max(v[k], other) * 3;
    }
    // A device may round to the nearest or toward zero: WGSL leaves it open. It must round where a half is stored; a
    // conversion to f16 and back may cost nothing and do nothing.
    const float exact = mirrored[0] + 2048.5F + static_cast<float>(3 - i);
    const float nearest = half_to_float(float_to_half(exact)), cut = exact - std::fmod(exact, 2.0F);
    const std::array<float, 3> wanted = {dot, sum[0] + sum[1] * 64, sum[2] + sum[3] * 64};
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (written[4 * i + k] != std::bit_cast<std::uint32_t>(wanted[k])) return false;
    }
    const auto rounded = std::bit_cast<float>(written[4 * i + 3]);
    if (rounded != nearest && rounded != cut) return false;
  }
  return true;
}

ProbeKernel matrix_probe() {
  const auto half_of = [](std::int32_t value) { return std::uint32_t{float_to_half(static_cast<float>(value))}; };
  ProbeKernel probe{.module = compiled(matrix_text, {}, true), .input = {}, .outputs = std::size_t{side} * side};
  for (std::uint32_t row = 0; row < side; ++row) {
    for (std::uint32_t k = 0; k < side; k += 2) {
      probe.input.push_back(half_of(left_value(row, k)) | half_of(left_value(row, k + 1)) << 16);
    }
  }
  for (std::uint32_t column = 0; column < side; ++column) {
    for (std::uint32_t k = 0; k < side; k += 2) {
      probe.input.push_back(half_of(right_value(k, column)) | half_of(right_value(k + 1, column)) << 16);
    }
  }
  return probe;
}

bool matrices_are_right(std::span<const std::uint32_t> written) {
  if (written.size() != std::size_t{side} * side) return false;
  for (std::uint32_t row = 0; row < side; ++row) {
    for (std::uint32_t column = 0; column < side; ++column) {
      std::int32_t sum = 0;
      for (std::uint32_t k = 0; k < side; ++k) sum += left_value(row, k) * right_value(k, column);
      const auto wanted = static_cast<float>(column < side / 2 ? 2 * sum : sum);
      if (written[row * side + column] != std::bit_cast<std::uint32_t>(wanted)) return false;
    }
  }
  return true;
}

}  // namespace driftwood::gpu
