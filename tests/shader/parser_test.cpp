// The parser from text to text: every operator comes back in parentheses, one statement a line.
#include "shader/parser.h"

#include <gtest/gtest.h>

#include "shader/diagnostics.h"

namespace driftwood::shader {
namespace {

std::string parsed(const std::string& text) {
  const SourceFiles files = {std::make_shared<const SourceFile>(SourceFile{"test.wgsl", text})};
  return print(parse(files, 0));
}

/// The expression as the parser understands it.
std::string expression(const std::string& text) {
  const std::string all = parsed("const x = " + text + ";");
  return all.substr(10, all.size() - 12);
}

struct ExpressionCase {
  const char* text;
  const char* tree;
};

class ParsedExpression : public testing::TestWithParam<ExpressionCase> {};

TEST_P(ParsedExpression, HasThisTree) { EXPECT_EQ(expression(GetParam().text), GetParam().tree); }

INSTANTIATE_TEST_SUITE_P(
    Precedence, ParsedExpression,
    testing::Values(ExpressionCase{"a + b * c", "(a + (b * c))"}, ExpressionCase{"a - b - c", "((a - b) - c)"},
                    ExpressionCase{"a * b % c", "((a * b) % c)"}, ExpressionCase{"-a * b", "(-a * b)"},
                    ExpressionCase{"a < b + c", "(a < (b + c))"}, ExpressionCase{"a | b | c", "((a | b) | c)"},
                    ExpressionCase{"a < b && c > d", "((a < b) && (c > d))"},
                    ExpressionCase{"a == b || c != d", "((a == b) || (c != d))"},
                    ExpressionCase{"a >> 2u < b", "((a >> 2u) < b)"}, ExpressionCase{"!a.b[c].d", "!a.b[c].d"},
                    ExpressionCase{"(*p).x", "(*p).x"}, ExpressionCase{"&a[1]", "&a[1]"},
                    ExpressionCase{"vec4<f32>(a, b)", "vec4<f32>(a, b)"},
                    ExpressionCase{"array<vec2<f32>, n + 1>()", "array<vec2<f32>, (n + 1)>()"}));

TEST(Parser, ReadsEveryDeclaration) {
  const std::string text =
      "enable f16;\n"
      "import package::reduce::workgroup_sum;\n"
      "import package::a::b as c;\n"
      "alias act = f32;\n"
      "override lanes: u32 = 64;\n"
      "const a = 1;\n"
      "@tensor var<read> x: tensor<act>;\n"
      "var<storage, read_write> y: array<u32>;\n"
      "struct S {\n"
      "  @align(16) a: f32,\n"
      "  b: array<u32, 4>,\n"
      "}\n"
      "const_assert (lanes > 1);\n"
      "@compute @workgroup_size(lanes, 2) fn main(@builtin(workgroup_id) at: vec3u) {\n"
      "}\n"
      "fn f(p: ptr<function, f32>) -> f32 {\n"
      "  return *p;\n"
      "}\n";
  EXPECT_EQ(parsed(text), text);
}

TEST(Parser, ReadsEveryStatement) {
  const std::string text =
      "fn f() {\n"
      "  var a: i32 = 1;\n"
      "  let b = 2;\n"
      "  const c = 3;\n"
      "  a = b;\n"
      "  a <<= 1u;\n"
      "  a++;\n"
      "  _ = f();\n"
      "  f();\n"
      "  if (a < b) {\n"
      "    return;\n"
      "  }\n"
      "  else {\n"
      "    a--;\n"
      "  }\n"
      "  @unroll for (var i = 0; (i < 4); i++) {\n"
      "    continue;\n"
      "  }\n"
      "  while (a > 0) {\n"
      "    break;\n"
      "  }\n"
      "  loop {\n"
      "    a += 1;\n"
      "    continuing {\n"
      "      a++;\n"
      "      break if (a > 3);\n"
      "    }\n"
      "  }\n"
      "  switch a {\n"
      "    case 1, 2: {\n"
      "    }\n"
      "    case default: {\n"
      "    }\n"
      "  }\n"
      "  {\n"
      "    const_assert true;\n"
      "  }\n"
      "}\n";
  EXPECT_EQ(parsed(text), text);
}

TEST(Parser, OpensImportLists) {
  EXPECT_EQ(parsed("import package::{a::{b, c as d}, e::f};"),
            "import package::a::b;\nimport package::a::c as d;\nimport package::e::f;\n");
}

TEST(Parser, TakesCommasAndSemicolonsThatSayNothing) {
  EXPECT_EQ(parsed(";fn f(a: i32,) { ; g(1,); }; struct S { a: i32, };"),
            "fn f(a: i32) {\n  g(1);\n}\nstruct S {\n  a: i32,\n}\n");
}

}  // namespace
}  // namespace driftwood::shader
