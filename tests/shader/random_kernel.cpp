#include "random_kernel.h"

#include <algorithm>
#include <array>
#include <random>

namespace driftwood::test {

namespace {

enum class Kind { Int, Uint, Float, Bool };

// A float's magnitude is below 2^integer_bits and a multiple of 2^-fraction_bits.
struct Number {
  std::string text;
  int integer_bits = 5;
  int fraction_bits = 3;
};

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  std::uint32_t pick(std::uint32_t count) { return static_cast<std::uint32_t>(random_()) % count; }
  std::string one_of(std::initializer_list<const char*> list) {
    return *(list.begin() + pick(static_cast<std::uint32_t>(list.size())));
  }

  static std::string type(Kind kind, int width) {
    const std::string scalar = kind == Kind::Int    ? "i32"
                               : kind == Kind::Uint ? "u32"
                               : kind == Kind::Bool ? "bool"
                                                    : "f32";
    return width == 1 ? scalar : "vec" + std::to_string(width) + "<" + scalar + ">";
  }

  // An integer or bool expression.
  std::string integer(Kind kind, int width, int depth) {
    if (depth == 0) return leaf(kind, width);
    const bool is_signed = kind == Kind::Int;
    const auto again = [&] { return integer(kind, width, depth - 1); };
    const auto shift = [&] { return integer(Kind::Uint, width, depth - 1); };
    switch (pick(24)) {
      case 0: return "(" + again() + " + " + again() + ")";
      case 1: return "(" + again() + " - " + again() + ")";
      case 2: return "(" + again() + " * " + again() + ")";
      case 3: return "(" + again() + " / " + again() + ")";
      case 4: return "(" + again() + " % " + again() + ")";
      case 5: return "(" + again() + one_of({" & ", " | ", " ^ "}) + again() + ")";
      case 6: return "(" + again() + " << " + shift() + ")";
      case 7: return "(" + again() + " >> " + shift() + ")";
      case 8: return is_signed ? "(-(" + again() + "))" : "(~" + again() + ")";
      case 9: return one_of({"min", "max"}) + "(" + again() + ", " + again() + ")";
      case 10: return "clamp(" + again() + ", " + again() + ", " + again() + ")";
      case 11: return "select(" + again() + ", " + again() + ", " + boolean(pick(2) != 0 ? 1 : width, depth - 1) + ")";
      case 12:
        return one_of({"abs", "countOneBits", "countLeadingZeros", "countTrailingZeros", "reverseBits",
                       "firstLeadingBit", "firstTrailingBit"}) +
               "(" + again() + ")";
      case 13:
        return "extractBits(" + again() + ", " + integer(Kind::Uint, 1, 0) + " % 40u, " + integer(Kind::Uint, 1, 0) +
               " % 40u)";
      case 14: return "insertBits(" + again() + ", " + again() + ", " + integer(Kind::Uint, 1, 0) + " % 40u, 7u)";
      case 15: return type(kind, width) + "(" + integer(is_signed ? Kind::Uint : Kind::Int, width, depth - 1) + ")";
      case 16: return type(kind, width) + "(" + boolean(width, depth - 1) + ")";
      case 17: return type(kind, width) + "(" + exact(width, depth - 1).text + ")";
      case 18: return "bitcast<" + type(kind, width) + ">(" + exact(width, depth - 1).text + ")";
      case 19: return vector_forms(kind, width, depth);
      case 20:
        return width == 1 ? "dot(" + integer(kind, 3, depth - 1) + ", " + integer(kind, 3, depth - 1) + ")" : again();
      case 21:
        return width == 1 && is_signed ? "dot4I8Packed(" + integer(Kind::Uint, 1, depth - 1) + ", " +
                                             integer(Kind::Uint, 1, depth - 1) + ")"
                                       : again();
      case 22: return is_signed ? "sign(" + again() + ")" : again();
      default:
        // Known operands, for the optimiser. Two of them would be a const-expression, which may not overflow.
        if (pick(3) == 0) return "(" + again() + one_of({" / ", " % ", " + "}) + divisor(kind, width) + ")";
        if (pick(3) == 0) return "(" + again() + one_of({" << ", " >> "}) + shift_amount(width) + ")";
        return "(" + again() + one_of({" + ", " * ", " - ", " & ", " | "}) + constant(kind, width) + ")";
    }
  }

  std::string boolean(int width, int depth) {
    if (depth == 0) return compare(width, 0);
    switch (pick(6)) {
      case 0: return "(!" + boolean(width, depth - 1) + ")";
      case 1: return "(" + boolean(width, depth - 1) + one_of({" & ", " | "}) + boolean(width, depth - 1) + ")";
      case 2:
        if (width > 1)
          return "(" + boolean(width, depth - 1) + one_of({" == ", " != "}) + boolean(width, depth - 1) + ")";
        return "(" + boolean(1, depth - 1) + one_of({" && ", " || "}) + boolean(1, depth - 1) + ")";
      case 3: return width == 1 ? one_of({"all(", "any("}) + boolean(3, depth - 1) + ")" : compare(width, depth - 1);
      case 4: return width == 1 ? boolean(4, depth - 1) + one_of({".x", ".w", "[1]"}) : compare(width, depth - 1);
      default: return compare(width, depth - 1);
    }
  }

  Number exact(int width, int depth) {
    if (depth == 0) return {leaf(Kind::Float, width), 5, 3};
    const auto again = [&] { return exact(width, depth - 1); };
    switch (pick(12)) {
      case 0:
      case 1: {
        const Number a = again(), b = again();
        const Number sum{"(" + a.text + one_of({" + ", " - "}) + b.text + ")",
                         std::max(a.integer_bits, b.integer_bits) + 1, std::max(a.fraction_bits, b.fraction_bits)};
        return fits(sum) ? sum : a;
      }
      case 2:
      case 3: {
        const Number a = again(), b = again();
        const Number product{"(" + a.text + " * " + b.text + ")", a.integer_bits + b.integer_bits,
                             a.fraction_bits + b.fraction_bits};
        return fits(product) ? product : b;
      }
      case 4: {
        const Number a = again();
        return {"(-(" + a.text + "))", a.integer_bits, a.fraction_bits};
      }
      case 5: {
        const Number a = again();
        return {one_of({"floor", "ceil", "trunc", "round"}) + "(" + a.text + ")", a.integer_bits + 1, 0};
      }
      case 6: {
        const Number a = again(), b = again();
        return {one_of({"min", "max"}) + "(" + a.text + ", " + b.text + ")", std::max(a.integer_bits, b.integer_bits),
                std::max(a.fraction_bits, b.fraction_bits)};
      }
      case 7: {
        const Number a = again(), b = again();
        return {"select(" + a.text + ", " + b.text + ", " + boolean(pick(2) != 0 ? 1 : width, depth - 1) + ")",
                std::max(a.integer_bits, b.integer_bits), std::max(a.fraction_bits, b.fraction_bits)};
      }
      case 8: {
        const Number a = again();
        return {one_of({"abs", "sign"}) + "(" + a.text + ")", std::max(a.integer_bits, 1), a.fraction_bits};
      }
      case 9: return {type(Kind::Float, width) + "(" + integer(Kind::Int, width, depth - 1) + " % 16)", 5, 0};
      case 10: return {type(Kind::Float, width) + "(" + boolean(width, depth - 1) + ")", 1, 0};
      default: {
        const Number a = again();
        if (pick(2) != 0) return {"saturate(" + a.text + ")", 1, a.fraction_bits};
        const std::string text = "(" + a.text + one_of({" + ", " - "}) + constant(Kind::Float, width) + ")";
        const Number sum{text, std::max(a.integer_bits, 3) + 1, std::max(a.fraction_bits, 2)};
        return fits(sum) ? sum : a;
      }
    }
  }

  // A function of exact operands that devices approximate, and its tolerance in units in the last place.
  std::pair<std::string, float> inexact(int width) {
    const std::string a = exact(width, 2).text, b = exact(width, 2).text;
    const std::string positive = "(abs(" + a + ") + " + type(Kind::Float, width) + "(0.5))";
    switch (pick(16)) {
      case 0: return {a + " / " + positive, 3};
      case 1: return {"sqrt(" + positive + ")", 4};
      case 2: return {"inverseSqrt(" + positive + ")", 4};
      case 3: return {"exp(saturate(" + a + "))", 6};
      case 4:
        return {"exp2(clamp(" + a + ", " + type(Kind::Float, width) + "(-8.0), " + type(Kind::Float, width) + "(8.0)))",
                6};
      case 5: return {"log(" + positive + " + " + type(Kind::Float, width) + "(1.0))", 6};
      case 6: return {"log2(" + positive + " + " + type(Kind::Float, width) + "(1.0))", 6};
      case 7: return {"sin(saturate(" + a + "))", 8};
      case 8: return {"cos(saturate(" + a + "))", 8};
      case 9: return {"tanh(" + a + ")", 10};
      case 10: return {"pow(" + positive + ", saturate(" + b + "))", 32};
      case 11: return {"atan(" + a + ")", 10};
      case 12: return {"fma(" + a + ", " + b + ", " + type(Kind::Float, width) + "(1.0))", 1};
      case 13: return {"quantizeToF16(" + a + ")", 0};
      case 14: return {"fract(" + a + ")", 0};
      default: return {"mix(" + a + ", " + b + ", " + type(Kind::Float, width) + "(0.5))", 2};
    }
  }

 private:
  static bool fits(const Number& number) { return number.integer_bits + number.fraction_bits <= 22; }

  std::string leaf(Kind kind, int width) {
    const std::string row = std::to_string(pick(4));
    const std::string base = kind == Kind::Int ? "i" + row : kind == Kind::Uint ? "u" + row : "f" + row;
    static constexpr std::array<const char*, 4> scalars = {".x", ".y", ".z", ".w"};
    switch (width) {
      case 1: return base + scalars[pick(4)];
      case 2: return base + one_of({".xy", ".zw", ".wx", ".yy"});
      case 3: return base + one_of({".xyz", ".wzy", ".yyx"});
      default: return pick(2) != 0 ? base : base + ".wzyx";
    }
  }

  std::string constant(Kind kind, int width) {
    const std::string value =
        kind == Kind::Int    ? one_of({"0i", "1i", "7i", "-1i", "(-2147483647i - 1i)", "2147483647i", "31i", "1000i"})
        : kind == Kind::Uint ? one_of({"0u", "1u", "7u", "4294967295u", "2147483648u", "31u", "255u"})
                             : one_of({"0.0f", "1.0f", "-1.0f", "0.5f", "3.25f", "-7.5f"});
    return width == 1 ? value : type(kind, width) + "(" + value + ")";
  }

  std::string divisor(Kind kind, int width) {
    const std::string value =
        kind == Kind::Int ? one_of({"1i", "7i", "-1i", "-3i", "16i"}) : one_of({"1u", "7u", "16u"});
    return width == 1 ? value : type(kind, width) + "(" + value + ")";
  }

  std::string shift_amount(int width) {
    const std::string value = one_of({"0u", "1u", "5u", "31u"});
    return width == 1 ? value : type(Kind::Uint, width) + "(" + value + ")";
  }

  std::string compare(int width, int depth) {
    const std::string op = one_of({" < ", " <= ", " > ", " >= ", " == ", " != "});
    switch (pick(3)) {
      case 0: return "(" + integer(Kind::Int, width, depth) + op + integer(Kind::Int, width, depth) + ")";
      case 1: return "(" + integer(Kind::Uint, width, depth) + op + integer(Kind::Uint, width, depth) + ")";
      default: return "(" + exact(width, depth).text + op + exact(width, depth).text + ")";
    }
  }

  std::string vector_forms(Kind kind, int width, int depth) {
    if (width == 1) {
      return pick(2) != 0 ? integer(kind, 4, depth - 1) + ".z"
                          : integer(kind, 4, depth - 1) + "[" + integer(Kind::Uint, 1, depth - 1) + " & 3u]";
    }
    if (width == 2) return integer(kind, 4, depth - 1) + ".yw";
    if (width == 3) return "vec3(" + integer(kind, 2, depth - 1) + ", " + integer(kind, 1, depth - 1) + ")";
    return "vec4(" + integer(kind, 1, depth - 1) + ", " + integer(kind, 2, depth - 1) + ", " +
           integer(kind, 1, depth - 1) + ")";
  }

  std::mt19937 random_;
};

// A vec4 of the expression, whatever its width.
std::string widened(const std::string& text, int width, const std::string& scalar) {
  const std::string vector = "vec4<" + scalar + ">";
  switch (width) {
    case 1: return vector + "(" + text + ")";
    case 2: return vector + "(" + text + ", " + scalar + "(), " + scalar + "())";
    case 3: return vector + "(" + text + ", " + scalar + "())";
    default: return text;
  }
}

constexpr const char* resources = R"(var<storage, read> floats: array<vec4f>;
var<storage, read> ints: array<vec4i>;
var<storage, read> uints: array<vec4u>;
var<storage, read_write> out_i: array<vec4i>;
var<storage, read_write> out_u: array<vec4u>;
var<storage, read_write> out_f: array<vec4f>;
)";

constexpr const char* head = R"(
@compute @workgroup_size(1)
fn random_kernel(@builtin(workgroup_id) at: vec3u) {
  let k = at.x;
  let f0 = floats[4u * k];
  let f1 = floats[4u * k + 1u];
  let f2 = floats[4u * k + 2u];
  let f3 = floats[4u * k + 3u];
  let i0 = ints[4u * k];
  let i1 = ints[4u * k + 1u];
  let i2 = ints[4u * k + 2u];
  let i3 = ints[4u * k + 3u];
  let u0 = uints[4u * k];
  let u1 = uints[4u * k + 1u];
  let u2 = uints[4u * k + 2u];
  let u3 = uints[4u * k + 3u];
)";

std::string row(const char* name, std::uint32_t result) {
  return "  " + std::string(name) + "[" + std::to_string(result * random_kernel_invocations) + "u + k] = ";
}

}  // namespace

RandomKernel random_expressions(std::uint32_t seed, std::uint32_t count) {
  Generator generator(seed);
  RandomKernel kernel;
  std::string body;
  for (std::uint32_t n = 0; n < count; ++n) {
    const int width = 1 + static_cast<int>(generator.pick(4));
    const int depth = 1 + static_cast<int>(generator.pick(3));
    switch (generator.pick(5)) {
      case 0:
      case 1: {
        const std::string text = generator.integer(Kind::Int, width, depth);
        body += row("out_i", kernel.int_results++) + widened(text, width, "i32") + ";\n";
        kernel.int_expressions.push_back(text);
        break;
      }
      case 2: {
        const std::string text = generator.integer(Kind::Uint, width, depth);
        body += row("out_u", kernel.uint_results++) + widened(text, width, "u32") + ";\n";
        kernel.uint_expressions.push_back(text);
        break;
      }
      case 3: {
        const std::string text = generator.exact(width, depth + 1).text;
        body += row("out_f", kernel.float_results++) + widened(text, width, "f32") + ";\n";
        kernel.float_expressions.push_back(text);
        kernel.float_tolerances.push_back(0);
        break;
      }
      default: {
        const auto [text, tolerance] = generator.inexact(width);
        body += row("out_f", kernel.float_results++) + widened(text, width, "f32") + ";\n";
        kernel.float_expressions.push_back(text);
        kernel.float_tolerances.push_back(tolerance);
      }
    }
  }
  kernel.source = resources + std::string(head) + body + "}\n";
  return kernel;
}

namespace {

// Statements over a and b (i32), c (u32) and table (array<i32, 8>); every loop is bounded by its counter.
class Statements {
 public:
  explicit Statements(std::uint32_t seed) : generator_(seed) {}

  std::string block(int depth, int indent, bool in_loop) {
    std::string text;
    const std::uint32_t count = 1 + generator_.pick(4);
    for (std::uint32_t i = 0; i < count; ++i) text += statement(depth, indent, in_loop);
    return text;
  }

 private:
  std::string value() {
    return generator_.one_of({"a", "b", "i32(c)", "table[c & 7u]", "i0.x", "helper(a, c)", "i1.y", "3", "-1", "a * b",
                              "b / 3", "a - i2.z", "bump(&b, a)"});
  }
  std::string unsigned_value() {
    return generator_.one_of({"c", "u0.x", "u32(a)", "5u", "c * 3u", "u1.w >> 3u", "c % 7u"});
  }
  std::string condition() {
    return generator_.one_of({"a < b", "c > 7u", "(a & 1) == 0", "b != 3", "table[1] > a && c < 100u",
                              "c == 2u || a > 0", "helper(b, c) < a"});
  }

  std::string statement(int depth, int indent, bool in_loop) {
    const std::string pad(static_cast<std::size_t>(indent) * 2, ' ');
    const std::string counter = "n" + std::to_string(counters_);
    const std::string bound = std::to_string(1 + generator_.pick(5)) + "u";
    switch (generator_.pick(depth > 0 ? 14 : 6)) {
      case 0: return pad + "a = " + value() + ";\n";
      case 1: return pad + "b += " + value() + ";\n";
      case 2: return pad + "c = " + unsigned_value() + ";\n";
      case 3: return pad + "table[c & 7u] = " + value() + ";\n";
      case 4: return pad + "a " + generator_.one_of({"-=", "*=", "^=", "/=", "%="}) + " " + value() + ";\n";
      case 5:
        if (in_loop && generator_.pick(3) == 0) {
          return pad + "if (" + condition() + ") {\n" + pad + "  " + generator_.one_of({"break", "continue"}) + ";\n" +
                 pad + "}\n";
        }
        return pad + "c++;\n";
      case 6:
      case 7: return pad + "if (" + condition() + ") {\n" + block(depth - 1, indent + 1, in_loop) + pad + "}\n";
      case 8:
        return pad + "if (" + condition() + ") {\n" + block(depth - 1, indent + 1, in_loop) + pad + "} else {\n" +
               block(depth - 1, indent + 1, in_loop) + pad + "}\n";
      case 9:
        ++counters_;
        return pad + "for (var " + counter + " = 0u; " + counter + " < " + bound + "; " + counter + "++) {\n" +
               block(depth - 1, indent + 1, true) + pad + "}\n";
      case 10:
        ++counters_;
        return pad + "@unroll\n" + pad + "for (var " + counter + " = 0u; " + counter + " < " + bound + "; " + counter +
               "++) {\n" + block(depth - 1, indent + 1, false) + pad + "  b += i32(" + counter + ");\n" + pad + "}\n";
      case 11:
        return pad + "switch (a & 3) {\n" + pad + "  case 0: {\n" + block(depth - 1, indent + 2, false) + pad +
               "  }\n" + pad + "  case 1, 2: {\n" + block(depth - 1, indent + 2, false) + pad + "  }\n" + pad +
               "  default: {\n" + block(depth - 1, indent + 2, false) + pad + "  }\n" + pad + "}\n";
      case 12:
        ++counters_;
        return pad + "var " + counter + " = 0u;\n" + pad + "loop {\n" + block(depth - 1, indent + 1, true) + pad +
               "  continuing {\n" + pad + "    " + counter + "++;\n" + pad + "    b ^= i32(" + counter + ");\n" + pad +
               "    break if " + counter + " >= " + bound + ";\n" + pad + "  }\n" + pad + "}\n";
      default: {
        ++counters_;
        return pad + "let " + counter + " = a + i32(c);\n" + pad + "table[" + bound + "] += " + counter + ";\n";
      }
    }
  }

  Generator generator_;
  int counters_ = 0;
};

constexpr const char* helpers = R"(
fn helper(x: i32, y: u32) -> i32 {
  if (x < 0) {
    return i32(y) - x;
  }
  for (var i = 0u; i < 3u; i++) {
    if ((y >> i) % 2u == 1u) {
      return x * i32(i);
    }
  }
  return x ^ 5;
}

fn bump(p: ptr<function, i32>, by: i32) -> i32 {
  *p += by;
  return *p >> 1u;
}
)";

}  // namespace

RandomKernel random_control_flow(std::uint32_t seed) {
  Statements statements(seed);
  RandomKernel kernel;
  kernel.source = resources + std::string(helpers) + head;
  kernel.source += "  var a = i0.x;\n  var b = i1.x;\n  var c = u0.x;\n  var table: array<i32, 8>;\n";
  kernel.source += "  var d = 0.0;\n";
  for (int i = 0; i < 3; ++i) kernel.source += statements.block(3, 1, false);
  kernel.source += row("out_i", 0) + "vec4i(a, b, table[0], table[1]);\n";
  kernel.source += row("out_i", 1) + "vec4i(table[2], table[3], table[4], table[5]);\n";
  kernel.source += row("out_u", 0) + "vec4u(c, u32(table[6]), u32(table[7]), 0u);\n";
  kernel.source += row("out_f", 0) + "vec4f(d) + f0;\n}\n";
  kernel.int_results = 2;
  kernel.uint_results = 1;
  kernel.float_results = 1;
  kernel.int_expressions = {"a, b, table", "table"};
  kernel.uint_expressions = {"c, table"};
  kernel.float_expressions = {"f0"};
  kernel.float_tolerances = {0};
  return kernel;
}

}  // namespace driftwood::test
