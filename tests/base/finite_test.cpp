#include "base/finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace driftwood {
namespace {

TEST(Finite, ValuesBeforeTheFirstThatIsNot) {
  std::vector<float> values(100, std::numeric_limits<float>::max());
  values[3] = std::numeric_limits<float>::denorm_min();
  values[4] = -0.0F;
  EXPECT_EQ(finite_values(values), 100u);
  EXPECT_TRUE(all_finite(values));
  values[99] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(finite_values(values), 99u);
  values[7] = std::nanf("");
  EXPECT_EQ(finite_values(values), 7u);
  EXPECT_FALSE(all_finite(values));
  EXPECT_EQ(finite_values({}), 0u);
  EXPECT_TRUE(all_finite({}));
}

}  // namespace
}  // namespace driftwood
