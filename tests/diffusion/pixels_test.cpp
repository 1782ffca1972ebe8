#include "diffusion/pixels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace driftwood::diffusion {
namespace {

TEST(Pixels, ChannelsMoveLastAndBack) {
  std::vector<float> values(12);
  std::iota(values.begin(), values.end(), 0.0F);
  EXPECT_EQ(channels_last(values, 3), (std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(channels_first(channels_last(values, 3), 3), values);
}

TEST(Pixels, BytesAreRoundedHalvesToEvenAndClamped) {
  // 255 * (x / 2 + 0.5): -2 and 3 are outside, 0 is 127.5, 2 / 255 is 128.5.
  const std::vector<float> pixels = {-2, -1, 0, 2.0F / 255, 1, 3};
  EXPECT_EQ(to_image(pixels, 2, 1).rgb, (std::vector<std::uint8_t>{0, 0, 128, 128, 255, 255}));
}

TEST(Pixels, BytesAreTheClampedNumbersRoundedAlsoFarOutside) {
  std::vector<float> pixels = {-0.0F, 1e-42F, 1e7F, -1e7F, -98688.1F, 1e30F, -1e30F, 3e38F, -3e38F};
  for (const float infinity : {HUGE_VALF, -HUGE_VALF}) pixels.push_back(infinity);
  // Bytes, what is halfway between them, and their neighbours, from below 0 to above 255.
  for (int halves = -6; halves < 518; ++halves) {
    const float pixel = static_cast<float>(halves) / 255 - 1;
    for (const float value : {pixel, std::nextafter(pixel, -9.0F), std::nextafter(pixel, 9.0F)})
      pixels.push_back(value);
  }
  std::vector<std::uint8_t> expected;
  for (const float pixel : pixels) {
    const float clamped = 255 * std::clamp(pixel / 2 + 0.5F, 0.0F, 1.0F);
    expected.push_back(static_cast<std::uint8_t>(std::nearbyint(clamped)));
  }
  EXPECT_EQ(to_image(pixels, static_cast<std::uint32_t>(pixels.size()), 1).rgb, expected);
}

TEST(Pixels, BytesSurviveTheWayToFloatsAndBack) {
  RgbImage image{.width = 16, .height = 16, .rgb = std::vector<std::uint8_t>(768)};
  for (std::size_t i = 0; i < 768; ++i) image.rgb[i] = static_cast<std::uint8_t>(i % 256);
  EXPECT_EQ(to_image(from_image(image), 16, 16).rgb, image.rgb);
}

TEST(Pixels, ResizingKeepsAPlainColourAndMeans) {
  const RgbImage plain{.width = 7, .height = 5, .rgb = std::vector<std::uint8_t>(105, 77)};
  for (const auto& [width, height] : {std::pair{8u, 8u}, std::pair{24u, 8u}, std::pair{3u, 2u}}) {
    const RgbImage result = resized(plain, width, height);
    EXPECT_EQ(result.rgb, std::vector<std::uint8_t>(std::size_t{3} * width * height, 77));
  }
}

TEST(Pixels, ResizingKeepsTheMiddleRowsOfATallPicture) {
  RgbImage tall{.width = 2, .height = 8, .rgb = std::vector<std::uint8_t>(48, 0)};
  for (std::size_t i = 18; i < 30; ++i) tall.rgb[i] = 200;  // rows 3 and 4
  EXPECT_EQ(resized(tall, 2, 2).rgb, std::vector<std::uint8_t>(12, 200));
}

TEST(Pixels, ResizingCropsEvenlyWhereProportionsDiffer) {
  // 8 x 2, black but for the middle 2 x 2: a square picture keeps that.
  RgbImage wide{.width = 8, .height = 2, .rgb = std::vector<std::uint8_t>(48, 0)};
  for (const std::size_t y : {0, 1}) {
    for (const std::size_t x : {3, 4}) {
      for (const std::size_t c : {0, 1, 2}) wide.rgb[(y * 8 + x) * 3 + c] = 200;
    }
  }
  EXPECT_EQ(resized(wide, 2, 2).rgb, std::vector<std::uint8_t>(12, 200));
}

}  // namespace
}  // namespace driftwood::diffusion
