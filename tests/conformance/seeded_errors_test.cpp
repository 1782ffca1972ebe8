// The error bounds of the suite are narrow enough: kernels with a small mistake in their source are found wrong.
#include <gtest/gtest.h>

#include "conformance/check.h"
#include "gpu/reference/reference_device.h"
#include "kernels/source.h"

namespace driftwood::test {
namespace {

using namespace conformance;

struct Mistake {
  std::string what, operation, module_path, from, to;
};

void PrintTo(const Mistake& mistake, std::ostream* stream) { *stream << mistake.what; }

const std::vector<Mistake> mistakes = {
    {"a term in four is left out of a sum of squares", "rms-norm", "package::rms_norm", "squares += dot(v, v)",
     "squares += dot(v.xyz, v.xyz)"},
    {"an epsilon of a hundred thousandth is left out", "rms-norm", "package::rms_norm",
     "f32(tensorChannels(x)) + epsilon)", "f32(tensorChannels(x)))"},
    {"the mean is over slices instead of channels", "rms-norm", "package::rms_norm", "f32(tensorChannels(x))",
     "f32(4u * tensorSlices(x))"},
    {"a term in four is left out of a product", "linear", "package::row_product",
     "sum += dot(values[part], input(x, gamma, t, token, chunk * 8u + part))",
     "sum += dot(values[part].xyz, input(x, gamma, t, token, chunk * 8u + part).xyz)"},
    {"a product is half a thousandth of a percent too large", "linear", "package::row_product",
     "(*sums)[t] += dot(values, input(x, gamma, t, min(first + t, tokens - 1u), s))",
     "(*sums)[t] += 1.000005 * dot(values, input(x, gamma, t, min(first + t, tokens - 1u), s))"},
    {"integers of tokens are rounded down", "quantize-tokens", "package::quantize", "round(value * inverse)",
     "floor(value * inverse)"},
    {"integers of caches are rounded towards zero", "cache-write", "package::kv_cache_write", "vec4i(round(",
     "vec4i(trunc("},
    {"a moved value is one unit in the last place off", "concat", "package::concat",
     "tensorStore(y, b, row, column, s, value)", "tensorStore(y, b, row, column, s, value * 1.0000002)"},
    {"rows of tokens that are not active are written", "concat", "package::concat",
     "column < active_rows(tensorWidth(y), parameters.tokens)", "column < tensorWidth(y)"},
    {"an angle is a ten thousandth too large", "rope", "package::rotary", "sin(angle)", "sin(angle * 1.0001)"},
};

class SeededError : public testing::TestWithParam<Mistake> {};

TEST_P(SeededError, IsFound) {
  const Mistake& mistake = GetParam();
  bool is_changed = false;
  const auto sources = [&](std::string_view path) {
    std::optional<shader::SourceFile> file = kernels::source(path);
    if (!file || path != mistake.module_path) return file;
    const std::size_t place = file->text.find(mistake.from);
    if (place != std::string::npos) {
      std::string text(file->text);
      text.replace(place, mistake.from.size(), mistake.to);
      file->text = std::move(text);
      is_changed = true;
    }
    return file;
  };
  const auto device = gpu::make_reference_device();
  const Subject subject{*device, std::make_shared<graph::KernelCache>(*device, sources)};
  for (const Case& each : all_cases()) {
    if (each.operation == mistake.operation && check(subject, each, 3).judgement == Judgement::Wrong) return;
  }
  EXPECT_TRUE(is_changed) << "the kernel has no such text any more";
  FAIL() << "no case of " << mistake.operation << " finds it";
}

INSTANTIATE_TEST_SUITE_P(All, SeededError, testing::ValuesIn(mistakes));

}  // namespace
}  // namespace driftwood::test
