// A model whose activations exceed the halves' range: told, and where.
#include "llm/non_finite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/finite.h"
#include "formats/safetensors.h"
#include "formats/temporary_folder.h"
#include "llm/loud_model.h"
#include "llm/session.h"
#include "support/devices.h"
#include "support/oracle.h"

namespace driftwood::llm {
namespace {

TEST(NonFinite, IsAnErrorThatNamesPositionsAndOperation) {
  const driftwood::testing::TemporaryFolder folder;
  const auto checkpoint = loud_model(folder);
  SessionSettings settings{.context = 12, .prefill_tokens = 4};
  settings.options.precision = graph::Precision::F16;
  Session session(*test::device("reference"), checkpoint, settings);
  const auto expect_error = [&](std::size_t count, const std::string& where) {
    try {
      session.feed(std::vector<std::int32_t>(count, 5));
      FAIL() << "the logits are finite";
    } catch (const Unsupported& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(where));
      EXPECT_THAT(error.what(), ::testing::HasSubstr("blk.1"));
      EXPECT_THAT(error.what(), ::testing::HasSubstr("Try --precision f32."));
    }
    EXPECT_EQ(session.position(), 0u) << "the session holds what it held before";
  };
  expect_error(1, "after the token at position 0 are not finite: at positions 0 to 0");
  expect_error(3, "after the token at position 2 are not finite: at positions 0 to 2");
  expect_error(9, "after the token at position 3 are not finite: at positions 0 to 3");
}

TEST(NonFinite, SinglePrecisionBearsTheSameModel) {
  const driftwood::testing::TemporaryFolder folder;
  const auto checkpoint = loud_model(folder);
  SessionSettings settings{.context = 12};
  settings.options.precision = graph::Precision::F32;
  Session session(*test::device("reference"), checkpoint, settings);
  EXPECT_EQ(finite_values(session.feed(std::vector<std::int32_t>{5, 6})), session.vocabulary());
}

}  // namespace
}  // namespace driftwood::llm
