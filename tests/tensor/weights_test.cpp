#include "tensor/weights.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "base/error.h"
#include "support/error_of.h"
#include "tensor/coordinate.h"

namespace driftwood {
namespace {

using test::error_of;

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> ramp(std::uint64_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
  return values;
}

// The paper's example: OHWI weights (5, 2, 1, 7) in four 2D textures of (4, 2), S_I * HW high and S_O wide.
TEST(Weights, FourTexturesOfThePaper) {
  const WeightShape shape = {.o = 5, .h = 2, .w = 1, .i = 7};
  const WeightLayout layout = *find_weight_layout("four_textures");
  EXPECT_THAT(weight_object_extents(shape, layout), ElementsAre(2, 4));
  const auto objects = pack_weights(shape, layout, DataType::F32, ramp(shape.elements()));
  ASSERT_EQ(objects.size(), 4u);
  for (const auto& object : objects) EXPECT_EQ(object.size(), 8u * 16);
  EXPECT_EQ(4 * 8, 2 * 2 * 2 * 4);  // S_O * S_I * HW * 4 texels

  // o = 4 (slice 1, component 0), window position 1, i = 6 (slice 1, texture 2): texel x = 1, y = 1 * 2 + 1.
  EXPECT_EQ(weight_place(shape, layout, 4, 1, 6), (WeightPlace{.object = 2, .x = 1, .y = 3, .component = 0}));
  EXPECT_EQ(unpack_weights(shape, layout, DataType::F32, objects), ramp(shape.elements()));
}

TEST(Weights, EveryPermutationRoundTrips) {
  using enum WeightAxis;
  std::array<WeightAxis, 6> order = {G, SO, O4, HWD, SI, I4};
  std::mt19937 random(11);
  const auto pick = [&](unsigned n) { return 1 + static_cast<std::uint32_t>(random() % n); };
  int permutations = 0;
  do {
    const WeightShape shape = {pick(13), pick(3), pick(3), pick(2), pick(11)};
    const WeightLayout layout = {.order = order, .groups = pick(3), .y_axes = static_cast<std::uint32_t>(random() % 5)};
    if (order[5] != O4 && order[5] != I4) {
      EXPECT_THROW(weight_object_extents(shape, layout), InvalidInput);
      continue;
    }
    ++permutations;
    SCOPED_TRACE(to_string(shape) + " as " + to_string(layout));
    const auto values = ramp(shape.elements());
    for (const DataType type : {DataType::F32, DataType::F16}) {
      const auto objects = pack_weights(shape, layout, type, values);
      ASSERT_EQ(unpack_weights(shape, layout, type, objects), values);
    }
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> places;
    const auto [width, height] = weight_object_extents(shape, layout);
    for (std::uint32_t o = 0; o < shape.o; ++o) {
      for (std::uint32_t hwd = 0; hwd < shape.h * shape.w * shape.d; ++hwd) {
        for (std::uint32_t i = 0; i < shape.i; ++i) {
          const WeightPlace at = weight_place(shape, layout, o, hwd, i);
          EXPECT_LT(at.x, width);
          EXPECT_LT(at.y, height);
          EXPECT_TRUE(places.insert({at.object, at.x, at.y, at.component}).second);
        }
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(permutations, 240);
}

TEST(Weights, GroupsPadTheOutputSlices) {
  const WeightShape shape = {.o = 20, .i = 4};  // 5 output slices in 2 groups of 3
  const WeightLayout layout = {
      .order = {WeightAxis::G, WeightAxis::HWD, WeightAxis::SI, WeightAxis::SO, WeightAxis::I4, WeightAxis::O4},
      .groups = 2};
  EXPECT_THAT(weight_object_extents(shape, layout), ElementsAre(2 * 3 * 4, 1));
  EXPECT_EQ(weight_place(shape, layout, 12, 0, 1), (WeightPlace{.x = 12 + 1}));  // slice 3 begins the second group
}

// K: O = tokens, I = head size; V reversed; KV heads on H. One token is one texel a slice in both.
TEST(Weights, CachesTakeOneTexelASliceForAToken) {
  const std::uint32_t heads = 3, tokens = 8, head_size = 20;
  const WeightShape k = {.o = tokens, .h = heads, .i = head_size};
  const WeightShape v = {.o = head_size, .h = heads, .i = tokens};
  const WeightLayout k_layout = *find_weight_layout("k_cache");
  const WeightLayout v_layout = *find_weight_layout("v_cache");
  const TensorDescriptor k_tensor = {.shape = {.h = heads, .w = tokens, .c = head_size},
                                     .layout = *find_layout("token_minor", StorageKind::Buffer)};
  for (std::uint32_t head = 0; head < heads; ++head) {
    for (std::uint32_t token = 0; token < tokens; ++token) {
      for (std::uint32_t slice = 0; slice < head_size / 4; ++slice) {
        const WeightPlace k_first = weight_place(k, k_layout, token, head, slice * 4);
        const WeightPlace v_first = weight_place(v, v_layout, slice * 4, head, token);
        for (std::uint32_t c = 0; c < 4; ++c) {
          const WeightPlace k_at = weight_place(k, k_layout, token, head, slice * 4 + c);
          const WeightPlace v_at = weight_place(v, v_layout, slice * 4 + c, head, token);
          EXPECT_EQ(k_at, (WeightPlace{.x = k_first.x, .component = c}));
          EXPECT_EQ(v_at, (WeightPlace{.x = v_first.x, .component = c}));
        }
        // The K cache is the token-minor tensor.
        EXPECT_EQ(coordinates(k_tensor)[0].evaluate({.y = head, .x = token, .s = slice}), k_first.x);
      }
    }
  }
}

TEST(Weights, WrongLayoutsAreRefused) {
  using enum WeightAxis;
  const WeightShape shape = {.o = 5, .i = 7};
  const auto extents = [&](const WeightLayout& layout, const WeightShape& of) {
    return error_of([&] { weight_object_extents(of, layout); });
  };
  EXPECT_THAT(extents({.order = {G, SO, O4, HWD, I4, I4}}, shape), HasSubstr("no permutation"));
  EXPECT_THAT(extents({.order = {G, SO, O4, I4, HWD, SI}}, shape), HasSubstr("neither O4 nor I4 innermost"));
  EXPECT_THAT(extents({.order = {G, SO, SI, HWD, I4, O4}, .groups = 0}, shape), HasSubstr("no groups"));
  EXPECT_THAT(extents({.order = {G, SO, SI, HWD, I4, O4}, .objects = 3}, shape), HasSubstr("into 3 objects"));
  EXPECT_THAT(extents({.order = {G, SO, SI, HWD, I4, O4}}, {.o = 0}), HasSubstr("an extent of 0"));
  EXPECT_THAT(extents({.order = {G, SO, SI, HWD, I4, O4}}, {.o = 0xFFFFFFFF, .i = 0xFFFFFFFF}),
              HasSubstr("more than 2147483647 texels"));
  EXPECT_THAT(extents({.order = {G, SO, SI, HWD, I4, O4}}, {.h = 65536, .w = 65536}),
              HasSubstr("more than 2147483647 texels"));
  EXPECT_THAT(
      error_of([&] { pack_weights(shape, *find_weight_layout("k_cache"), DataType::I8, ramp(shape.elements())); }),
      HasSubstr("as f32 or f16, not as i8"));
  EXPECT_THAT(error_of([&] { pack_weights(shape, *find_weight_layout("k_cache"), DataType::F32, ramp(3)); }),
              HasSubstr("take 35 values, but there are 3"));
}

}  // namespace
}  // namespace driftwood
