#include "shader/lexer.h"

#include <gtest/gtest.h>

#include "shader/diagnostics.h"
#include "shader/numbers.h"

namespace driftwood::shader {
namespace {

/// The tokens' texts with a blank between; template brackets are shown as ⟨ and ⟩.
std::string tokens_of(const std::string& text) {
  const SourceFiles files = {std::make_shared<const SourceFile>(SourceFile{"test.wgsl", text})};
  std::string shown;
  for (const Token& token : tokenize(files, 0)) {
    if (token.kind == TokenKind::End) break;
    const bool opens = token.kind == TokenKind::TemplateStart;
    const bool closes = token.kind == TokenKind::TemplateEnd;
    shown += (shown.empty() ? "" : " ") + (opens ? "⟨" : closes ? "⟩" : std::string(token.text));
  }
  return shown;
}

TEST(Lexer, SplitsNamesNumbersAndOperators) {
  EXPECT_EQ(tokens_of("a+=b<<2u;x.y->z"), "a += b << 2u ; x . y -> z");
  EXPECT_EQ(tokens_of("1.5e-3f 0x1Fu .5 1. 0x1p-4"), "1.5e-3f 0x1Fu .5 1. 0x1p-4");
  EXPECT_EQ(tokens_of("a::b _ = _c"), "a :: b _ = _c");
}

TEST(Lexer, SkipsCommentsWhichNest) {
  EXPECT_EQ(tokens_of("a // b\nc"), "a c");
  EXPECT_EQ(tokens_of("a /* b /* c */ d */ e"), "a e");
}

TEST(Lexer, FindsTemplateLists) {
  EXPECT_EQ(tokens_of("vec4<f32>(a)"), "vec4 ⟨ f32 ⟩ ( a )");
  EXPECT_EQ(tokens_of("array<vec2<f32>,4>=1"), "array ⟨ vec2 ⟨ f32 ⟩ , 4 ⟩ = 1");
  EXPECT_EQ(tokens_of("array<vec2<f32>>"), "array ⟨ vec2 ⟨ f32 ⟩ ⟩");
  EXPECT_EQ(tokens_of("array<u32, (a > b)>"), "array ⟨ u32 , ( a > b ) ⟩");
  EXPECT_EQ(tokens_of("var<storage, read_write> a"), "var ⟨ storage , read_write ⟩ a");
}

TEST(Lexer, LeavesComparisonsAlone) {
  EXPECT_EQ(tokens_of("a < b"), "a < b");
  EXPECT_EQ(tokens_of("a < b || c > d"), "a < b || c > d");
  EXPECT_EQ(tokens_of("if (i < n) { x = a > b; }"), "if ( i < n ) { x = a > b ; }");
  EXPECT_EQ(tokens_of("a[i < b] > c"), "a [ i < b ] > c");
  EXPECT_EQ(tokens_of("a >= b >> c >>= d"), "a >= b >> c >>= d");
  EXPECT_EQ(tokens_of("for (var i = 0; i < n; i++) { a = i > 2; }"),
            "for ( var i = 0 ; i < n ; i ++ ) { a = i > 2 ; }");
}

TEST(Lexer, PointsAtInvalidUtf8) {
  try {
    tokens_of("let a = 1;\nlet \xFF");
    FAIL() << "no error";
  } catch (const CompileError& error) {
    EXPECT_STREQ(error.what(), "test.wgsl:2:5: error: The source is not valid UTF-8 here.\n  let ?\n      ^");
  }
}

struct NumberCase {
  const char* text;
  Scalar scalar;
  double value;
};

class Number : public testing::TestWithParam<NumberCase> {};

TEST_P(Number, HasThisValue) {
  ConstantScalar value;
  std::string error;
  ASSERT_TRUE(parse_number(GetParam().text, value, error)) << error;
  EXPECT_EQ(value.scalar, GetParam().scalar);
  EXPECT_EQ(is_float(value.scalar) ? value.f : static_cast<double>(value.i), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Literals, Number,
    testing::Values(NumberCase{"0", Scalar::AbstractInt, 0}, NumberCase{"42", Scalar::AbstractInt, 42},
                    NumberCase{"7u", Scalar::U32, 7}, NumberCase{"7i", Scalar::I32, 7},
                    NumberCase{"0xFFu", Scalar::U32, 255}, NumberCase{"0x1f", Scalar::AbstractInt, 31},
                    NumberCase{"4294967295u", Scalar::U32, 4294967295.0}, NumberCase{"1f", Scalar::F32, 1},
                    NumberCase{"2h", Scalar::F16, 2}, NumberCase{"0.1f", Scalar::F32, 0.1F},
                    NumberCase{"1e-50f", Scalar::F32, 0}, NumberCase{".25", Scalar::AbstractFloat, 0.25},
                    NumberCase{"1.", Scalar::AbstractFloat, 1}, NumberCase{"1e3", Scalar::AbstractFloat, 1000},
                    NumberCase{"0x1.8p1", Scalar::AbstractFloat, 3}, NumberCase{"0x1p-1f", Scalar::F32, 0.5},
                    NumberCase{"0.1h", Scalar::F16, 0.0999755859375}));

class NoNumber : public testing::TestWithParam<const char*> {};

TEST_P(NoNumber, IsRefused) {
  ConstantScalar value;
  std::string error;
  EXPECT_FALSE(parse_number(GetParam(), value, error));
  EXPECT_FALSE(error.empty());
}

INSTANTIATE_TEST_SUITE_P(Literals, NoNumber,
                         testing::Values("0x", "1e", "1e+", "1.2.3", "12u8", "1.5u", "00", "1_000", "2147483648i",
                                         "65520h", "3.5e38f", "u", ".", "0xp1", "9223372036854775808"));

}  // namespace
}  // namespace driftwood::shader
