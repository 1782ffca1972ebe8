// Products with packed weights, of one token and of several, within the error that the arithmetic implies.
//
// y = sum of n products w x in f32, in any order: |computed - exact| <= gamma(n) sum |w||x|, gamma(k) = k u / (1 - k u)
// with u = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). The kernel's decoded weight has
// one rounding more (scale * q is exact in 24 bits where the scale is a half; + minimum rounds, as does a float scale
// times q), and so has the host's that the exact sum is made of: gamma(n + 2).
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "conformance/case.h"
#include "conformance/random_blocks.h"
#include "graph/builder.h"
#include "graph/program.h"
#include "support/devices.h"

namespace driftwood {
namespace {

constexpr double unit_roundoff = 0x1p-24;

double gamma(double operations) { return operations * unit_roundoff / (1 - operations * unit_roundoff); }

struct Case {
  std::string device;
  DataType format;
};

void PrintTo(const Case& c, std::ostream* stream) { *stream << c.device << " " << to_string(c.format); }

class ProductBound : public testing::TestWithParam<Case> {};

TEST_P(ProductBound, MatrixTimesVectorsIsWithinIt) {
  gpu::Device* const device = test::device(GetParam().device);
  if (device == nullptr) GTEST_SKIP() << "no device " << GetParam().device;
  const DataType format = GetParam().format;
  const std::uint32_t block = info(format).block_length;
  const std::uint32_t columns = info(format).has_row_scale() || block == 1 ? 69 : block == 256 ? 256 : 96;
  constexpr std::uint32_t rows = 18, most_tokens = 3;
  std::mt19937 random(7);
  const std::vector<std::byte> stored = conformance::random_rows(format, rows, columns, random, 0.5F);
  std::vector<float> weights(std::size_t{rows} * columns), x(std::size_t{most_tokens} * columns);
  decode_rows(format, columns, stored, weights);
  std::normal_distribution<float> normal;
  for (float& value : x) value = normal(random);

  for (const std::uint32_t tokens : {1U, most_tokens}) {
    SCOPED_TRACE(testing::Message() << tokens << " tokens");
    graph::Builder b({.max_tokens = tokens});
    const graph::Tensor input = b.input("x", {.w = tokens, .c = columns}, DataType::F32);
    const graph::Tensor w = b.weights({.format = format, .columns = columns, .blocks = {{"w", rows}}});
    b.output("y", b.linear(input, w), DataType::F32);
    graph::ProgramSettings settings;
    settings.options.precision = graph::Precision::F32;
    settings.store =
        std::make_shared<graph::ResourceStore>(*device, [&](std::string_view) { return std::span(stored); });
    graph::Program program(*device, std::move(b).build(), settings);
    program.write_floats("x", std::span(x).first(std::size_t{tokens} * columns));
    program.run({.tokens = tokens});
    std::vector<float> y(std::size_t{tokens} * rows);
    program.read_floats("y", y);
    for (std::uint32_t t = 0; t < tokens; ++t) {
      for (std::uint32_t r = 0; r < rows; ++r) {
        double exact = 0, magnitude = 0;
        for (std::uint32_t c = 0; c < columns; ++c) {
          const double term = static_cast<double>(weights[r * columns + c]) * static_cast<double>(x[t * columns + c]);
          exact += term;
          magnitude += std::abs(term);
        }
        const double value = static_cast<double>(y[t * rows + r]);
        ASSERT_LE(std::abs(value - exact), gamma(columns + 2) * magnitude) << "token " << t << " row " << r;
      }
    }
  }
}

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const char* device : {"reference", "reference-cpu", "opencl:0"}) {
    for (const DataType format : conformance::formats) result.push_back({device, format});
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, ProductBound, testing::ValuesIn(cases()), [](const auto& test) {
  std::string name = test.param.device + "_" + std::string(to_string(test.param.format));
  std::ranges::replace_if(
      name, [](char c) { return c == ':' || c == '-'; }, '_');
  return name;
});

}  // namespace
}  // namespace driftwood
