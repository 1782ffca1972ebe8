#include "text/normalizer.h"

#include <gmock/gmock.h>

#include <array>
#include <chrono>

namespace driftwood {
namespace {

std::string applied(NormalizerStep step, std::string_view text) { return normalize(text, std::array{step}); }

TEST(Normalizer, ComposesCharacters) {
  const auto composed = [](std::string_view text) { return applied(NormalizerStep::ComposedForm, text); };
  EXPECT_EQ(composed("plain"), "plain");
  EXPECT_EQ(composed("cafe\u0301"), "caf\u00E9");
  EXPECT_EQ(composed("\u212B"), "\u00C5");               // a character that stands for another one
  EXPECT_EQ(composed("\u0958"), "\u0915\u093C");         // one that is excluded from composition
  EXPECT_EQ(composed("\u1100\u1161\u11A8"), "\uAC01");   // Hangul
  EXPECT_EQ(composed("a\u0301\u0316"), "\u00E1\u0316");  // marks in canonical order, then composed
  EXPECT_EQ(composed("a\u0316\u0301"), "\u00E1\u0316");
  EXPECT_EQ(composed("\u0301a"), "\u0301a");
  EXPECT_EQ(composed("\uFB01"), "\uFB01");                      // compatibility forms stay
  EXPECT_EQ(composed("e\xFF\u0301 \xC3"), "e\xFF\u0301 \xC3");  // bytes that are no UTF-8 stay, and keep apart
}

TEST(Normalizer, MakesSingleSpaces) {
  const auto spaced = [](std::string_view text) { return applied(NormalizerStep::SingleSpaces, text); };
  EXPECT_EQ(spaced(" a\t\r\n b\u3000\u00A0c "), " a b c ");
  EXPECT_EQ(spaced("a\u200Bb\xFF \xFF"), "a\u200Bb\xFF \xFF");
}

TEST(Normalizer, MakesLowerCase) {
  const auto lower = [](std::string_view text) { return applied(NormalizerStep::LowerCase, text); };
  EXPECT_EQ(lower("AbC \u00C9 \u0416 \u1E9E \U00010400"), "abc \u00E9 \u0436 \u00DF \U00010428");
  EXPECT_EQ(lower("\u0130"), "i\u0307");
  EXPECT_EQ(lower("\u039F\u03A3"), "\u03BF\u03C3");  // no final sigma
  EXPECT_EQ(lower("A\xFF\x42"), "a\xFF\x62");
}

TEST(Normalizer, WorksInOrder) {
  EXPECT_EQ(normalize("E\u0301  A", std::array{NormalizerStep::ComposedForm, NormalizerStep::SingleSpaces,
                                               NormalizerStep::LowerCase}),
            "\u00E9 a");
  EXPECT_EQ(normalize("E\u0301  A", {}), "E\u0301  A");
}

TEST(Normalizer, SortsAnyNumberOfMarksInLittleTime) {
  std::string text = "a";
  for (int i = 0; i < 200'000; ++i) text += "\u0301\u0316";
  const auto start = std::chrono::steady_clock::now();
  const std::string composed = applied(NormalizerStep::ComposedForm, text);
  EXPECT_TRUE(composed.starts_with("\u00E1\u0316\u0316"));
  EXPECT_EQ(composed.size(), text.size() - 1);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace driftwood
