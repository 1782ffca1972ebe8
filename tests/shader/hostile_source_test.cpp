// Sources made to do harm: each is a CompileError soon, never a crash.
#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "shader/checker.h"
#include "source_case.h"

namespace driftwood::test {
namespace {

using namespace shader;

std::string repeat(const std::string& text, int times) {
  std::string result;
  result.reserve(text.size() * static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

std::string in_main(const std::string& statements) {
  return "@compute @workgroup_size(1) fn main() {\n" + statements + "\n}\n";
}

struct HostileCase {
  const char* name;
  std::string text;
};

std::vector<HostileCase> hostile_cases() {
  constexpr int many = 10000;
  std::vector<HostileCase> cases = {
      {"parentheses", in_main("let a = " + repeat("(", many) + "1" + repeat(")", many) + ";")},
      {"open_parentheses", repeat("(", 1 << 20)},
      {"open_braces", "fn f() " + repeat("{", 1 << 20)},
      {"blocks", "fn f() " + repeat("{", many) + repeat("}", many)},
      {"unary_operators", in_main("let a = " + repeat("-", many) + "1;")},
      {"dereferences", in_main("let a = " + repeat("*", many) + "b;")},
      {"long_sum", in_main("var b = 1; let a = b" + repeat("+b", many) + ";")},
      {"long_index", in_main("let a = b" + repeat("[0]", many) + ";")},
      {"long_member", in_main("let a = b" + repeat(".x", many) + ";")},
      {"templates", in_main("var a: " + repeat("array<", many) + "f32" + repeat(",1>", many) + ";")},
      {"open_templates", in_main("var a: " + repeat("array<", many))},
      {"calls", in_main("let a = " + repeat("f(", many) + repeat(")", many) + ";")},
      {"else_if", in_main(repeat("if (b) {} else ", many) + "{}")},
      {"loops", in_main(repeat("loop {", many) + repeat("}", many))},
      {"switches", in_main(repeat("switch 1 { default {", many) + repeat("}}", many))},
      {"import_list", "import package::" + repeat("{a::", many)},
      {"attributes", repeat("@a(", many)},
      {"comments", repeat("/*", 1 << 19)},
      {"commas", "fn f(" + repeat(",", many)},
      {"huge_number", in_main("let a = 1" + repeat("0", 1 << 20) + ";")},
      {"huge_exponent", in_main("let a = 1e" + repeat("9", 1000) + ";")},
      {"huge_name", in_main("let a = " + repeat("b", 1 << 20) + ";")},
      {"huge_array", in_main("var a: array<array<array<f32, 65535>, 65535>, 65535>;")},
      {"huge_count", in_main("var a: array<f32, 9223372036854775807>;")},
      {"nul", std::string("fn f() {\0}", 10)},
      {"byte_order_mark",
       "\xEF\xBB\xBF"
       "fn f() {}"},
      {"invalid_utf8", "fn f() {} \xC0\xAF"},
      {"surrogate", "// \xED\xA0\x80\n"},
      {"cut_utf8", "// \xE2\x82"},
      {"empty", ""},
  };
  // Declarations that each wait for the next, the last first.
  std::string constants, functions, aliases, structs = "struct S0 { a: f32 }\n", doubling = "const a0 = array(1, 2);\n";
  for (int i = 0; i < many; ++i) {
    const std::string n = std::to_string(i);
    const std::string next = std::to_string(i + 1);
    constants += "const c" + n + " = c" + next + ";\n";
    functions += "fn f" + n + "() { f" + next + "(); }\n";
    aliases += "alias A" + n + " = array<A" + next + ", 2>;\n";
    if (i < 40) structs += "struct S" + next + " { a: S" + n + ", b: S" + n + ", c: S" + n + " }\n";
    if (i < 40) doubling += "const a" + next + " = array(a" + n + ", a" + n + ", a" + n + ");\n";
  }
  // The deepest expressions at the end of each of many functions.
  std::string deep;
  for (int i = 0; i < 200; ++i) {
    const std::string next = std::to_string(i + 1);
    deep += "fn d" + std::to_string(i) + "(n: i32) -> i32 { return " + repeat("-(n+", 150) + "d" + next + "(n)" +
            repeat(")", 150) + "; }\n";
  }
  cases.push_back({"deep_functions", deep + "fn d200(n: i32) -> i32 { return d0(n); }\n" + in_main("_ = d0(1);")});
  cases.push_back({"constant_chain", constants + "const c10000 = 1;\n" + in_main("")});
  cases.push_back({"function_chain", functions + "fn f10000() {}\n" + in_main("")});
  cases.push_back({"alias_chain", aliases + "alias A10000 = f32;\n" + in_main("")});
  cases.push_back({"wide_structs", structs + in_main("")});
  cases.push_back({"doubling_constants", doubling + in_main("")});
  std::mt19937 random(7);
  std::string garbage(1 << 20, ' ');
  for (char& c : garbage) c = static_cast<char>(random() % 95 + 32);
  cases.push_back({"garbage", garbage});
  return cases;
}

class HostileSource : public testing::TestWithParam<HostileCase> {};

TEST_P(HostileSource, IsRefusedSoon) {
  const SourceProvider sources = [](std::string_view) {
    return std::optional(SourceFile{"hostile.wgsl", GetParam().text});
  };
  const std::clock_t start = std::clock();
  try {
    check(sources, "package::main", {});
    FAIL() << "no error";
  } catch (const CompileError& error) {
    EXPECT_LT(std::string(error.what()).size(), 2000U) << error.summary();
  }
  // Processor time, since tests share the machine; a plain build takes under 0.2 s.
  EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
}

INSTANTIATE_TEST_SUITE_P(Sources, HostileSource, testing::ValuesIn(hostile_cases()),
                         [](const auto& instance) { return std::string(instance.param.name); });

/// Kernels with tokens left out, doubled and swapped: whatever comes, no crash.
TEST(HostileSources, SurviveMutation) {
  std::string text;
  for (const std::string& name : case_names("checked"))
    text += read_source_case("checked", name).modules.at("package::main");
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const std::size_t length = 2000;
    const std::size_t begin = random() % (text.size() > length ? text.size() - length : 1);
    std::string mutant = text.substr(begin, length);
    for (int i = 0; i < 5 && !mutant.empty(); ++i) {
      const std::size_t at = random() % mutant.size();
      switch (random() % 3) {
        case 0: mutant.erase(at, 1 + random() % 8); break;
        case 1: mutant.insert(at, mutant.substr(random() % mutant.size(), random() % 12)); break;
        default: mutant[at] = "(){}[]<>;,.&*=+-1ax"[random() % 19]; break;
      }
    }
    const SourceProvider sources = [&](std::string_view) { return std::optional(SourceFile{"mutant.wgsl", mutant}); };
    try {
      check(sources, "package::main", {});
    } catch (const InvalidInput&) {
    }
  }
}

}  // namespace
}  // namespace driftwood::test
