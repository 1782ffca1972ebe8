// The decoders of packed formats in the kernel language, held to decode_row on every device of the machine.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "conformance/random_blocks.h"
#include "kernels/source.h"
#include "run_kernel.h"
#include "shader/compile.h"
#include "tensor/packed_weights.h"

namespace driftwood {
namespace {

constexpr const char* kernel = R"(
@weights var<read> w: weights<f32>;
var<storage, read_write> chunks: array<vec4f>;
var<storage, read_write> slices: array<vec4f>;

override chunks_per_row: u32;

@compute @workgroup_size(1)
fn decode(@builtin(workgroup_id) at: vec3u) {
  let first = (at.y * chunks_per_row + at.x) * 8u;
  let chunk = weightsLoadChunk(w, at.y, at.x);
  @unroll for (var j = 0u; j < 8u; j++) {
    chunks[first + j] = chunk[j];
  }
  for (var j = 0u; j < 8u; j++) {
    slices[first + j] = weightsLoad(w, at.y, at.x * 8u + j);
  }
}
)";

constexpr const char* wide_kernel = R"(
@weights var<read> w: weights<vec16<f32>>;
var<storage, read_write> values: array<f32>;

override chunks_per_row: u32;

@compute @workgroup_size(1)
fn decode(@builtin(workgroup_id) at: vec3u) {
  for (var part = 0u; part < 8u; part++) {
    let four = weightsLoadPart(w, at.y, at.x, part);
    @unroll for (var k = 0u; k < 4u; k++) {
      @unroll for (var row = 0u; row < 16u; row++) {
        values[((at.y * 16u + row) * chunks_per_row + at.x) * 32u + part * 4u + k] = four[k][row];
      }
    }
  }
}
)";

shader::Module compile(const char* text, const WeightsDescriptor& weights, const gpu::Device& device) {
  const shader::SourceProvider files = [&](std::string_view path) -> std::optional<shader::SourceFile> {
    if (path == "package::decode") return shader::SourceFile{"decode.wgsl", text};
    return kernels::source(path);
  };
  const shader::Specialization specialization = {.overrides = {{"chunks_per_row", (weights.columns + 31) / 32}},
                                                 .aliases = {},
                                                 .tensors = {},
                                                 .weights = {{"w", weights}},
                                                 .fusions = {}};
  return shader::compile(files, "package::decode", specialization, test::traits_of(device.facts()));
}

// Odd widths, and odd numbers of blocks. Each is a program to compile: OpenCL devices, which take up to a second for
// one, get the last alone.
std::vector<std::uint32_t> widths_of(DataType type, const gpu::Device& device) {
  const std::uint32_t block = info(type).block_length;
  std::vector<std::uint32_t> widths = {block, 2 * block, 3 * block};
  if (info(type).has_row_scale()) widths = {5, 32, 97, 66};
  if (block == 1) widths = {5, 32, 97, 66};
  if (device.facts().id != "reference") widths.erase(widths.begin(), widths.end() - 1);
  return widths;
}

std::vector<std::uint32_t> row_groups_of(std::vector<std::uint32_t> groups, const gpu::Device& device) {
  if (device.facts().id != "reference") groups.erase(groups.begin(), groups.end() - 1);
  return groups;
}

struct Case {
  std::string device;
  DataType type;
};

void PrintTo(const Case& c, std::ostream* stream) { *stream << c.device << " " << to_string(c.type); }

class Formats : public testing::TestWithParam<Case> {};

TEST_P(Formats, DecodeAsOnTheHost) {
  const auto device = test::device_if_any(GetParam().device);
  if (!device) GTEST_SKIP() << "no device " << GetParam().device;
  const DataType type = GetParam().type;
  std::mt19937 random(1);
  for (const std::uint32_t columns : widths_of(type, *device)) {
    for (const std::uint32_t row_group : row_groups_of({1, 4}, *device)) {
      const WeightsDescriptor weights = {type, 6, columns, row_group, row_group == 4 ? gpu_word_run(type) : 1};
      SCOPED_TRACE(testing::Message() << columns << " columns in row groups of " << row_group);
      const std::uint32_t chunks = (columns + 31) / 32;
      const auto source = conformance::random_rows(type, weights.rows, columns, random);
      std::vector<std::byte> packed(packed_size(weights));
      pack_rows(weights, 0, weights.rows, source, packed);

      const shader::Module module = compile(kernel, weights, *device);
      const std::vector<std::byte> room(std::size_t{weights.rows} * chunks * 128);
      const auto after = test::run_kernel(*device, module, {{"w", packed}, {"chunks", room}, {"slices", room}},
                                          {chunks, weights.rows, 1});
      const auto by_chunk = test::numbers_of<float>(after.at("chunks"));
      const auto by_slice = test::numbers_of<float>(after.at("slices"));

      std::vector<float> expected(columns);
      for (std::uint32_t r = 0; r < weights.rows; ++r) {
        const std::uint64_t row_bytes = source_row_bytes(weights);
        decode_row(type, std::span(source).subspan(r * row_bytes, row_bytes), expected);
        float largest = 0;
        for (const float value : expected) largest = std::max(largest, std::abs(value));
        for (std::uint32_t c = 0; c < chunks * 32; ++c) {
          const float value = c < columns ? expected[c] : 0.0f;
          const std::size_t at = std::size_t{r} * chunks * 32 + c;
          ASSERT_NEAR(by_chunk[at], value, 1e-6f * largest) << "row " << r << " column " << c;
          ASSERT_NEAR(by_slice[at], value, 1e-6f * largest) << "row " << r << " column " << c;
        }
      }
    }
  }
}

TEST_P(Formats, DecodeSixteenRowsAsOnTheHost) {
  const auto device = test::device_if_any(GetParam().device);
  if (!device) GTEST_SKIP() << "no device " << GetParam().device;
  const DataType type = GetParam().type;
  std::mt19937 random(2);
  for (const std::uint32_t columns : widths_of(type, *device)) {
    for (const std::uint32_t row_group : row_groups_of({32, 16}, *device)) {
      const WeightsDescriptor weights = {type, 35, columns, row_group};
      SCOPED_TRACE(testing::Message() << columns << " columns in row groups of " << row_group);
      const std::uint32_t chunks = (columns + 31) / 32;
      const std::uint32_t blocks = 3;
      const auto source = conformance::random_rows(type, weights.rows, columns, random);
      std::vector<std::byte> packed(packed_size(weights));
      pack_rows(weights, 0, weights.rows, source, packed);
      const shader::Module module = compile(wide_kernel, weights, *device);
      const std::vector<std::byte> room(std::size_t{blocks} * chunks * 32 * 64);
      const auto after = test::run_kernel(*device, module, {{"w", packed}, {"values", room}}, {chunks, blocks, 1});
      const auto values = test::numbers_of<float>(after.at("values"));

      std::vector<float> expected(columns);
      for (std::uint32_t r = 0; r < blocks * 16; ++r) {
        std::fill(expected.begin(), expected.end(), 0.0f);
        const std::uint64_t row_bytes = source_row_bytes(weights);
        if (r < weights.rows) decode_row(type, std::span(source).subspan(r * row_bytes, row_bytes), expected);
        float largest = 0;
        for (const float value : expected) largest = std::max(largest, std::abs(value));
        for (std::uint32_t c = 0; c < chunks * 32; ++c) {
          const float value = c < columns ? expected[c] : 0.0f;
          const std::size_t at = std::size_t{r} * chunks * 32 + c;
          ASSERT_NEAR(values[at], value, 1e-6f * largest) << "row " << r << " column " << c;
        }
      }
    }
  }
}

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const char* device : {"reference", "opencl:0"}) {
    for (const PackedFormat& format : packed_formats()) result.push_back({device, format.type});
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, Formats, testing::ValuesIn(cases()), [](const auto& test) {
  return test.param.device.substr(0, test.param.device.find(':')) + "_" + std::string(to_string(test.param.type));
});

}  // namespace
}  // namespace driftwood
