// What the emitters share: expressions as text with precedence, so that only needed parentheses are printed; lines with
// indentation; literals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shader/ir.h"

namespace driftwood::shader {

/// How tightly an operator binds, in C's order (WGSL and MSL print the same order; WGSL needs a few more parentheses).
enum class Precedence : std::uint8_t {
  Comma,
  Assignment,
  Conditional,
  LogicalOr,
  LogicalAnd,
  Or,
  Xor,
  And,
  Equality,
  Relational,
  Shift,
  Additive,
  Multiplicative,
  Unary,
  Postfix,
  Primary,
};

/// Printed code of an expression and how tightly its outermost operator binds.
struct Code {
  std::string text;
  Precedence precedence = Precedence::Primary;

  /// The text as an operand of something that binds as `outer` does.
  std::string at_least(Precedence outer) const;
};

Precedence precedence_of(BinaryOp op);
std::string_view symbol_of(BinaryOp op);

/// `left op right` with parentheses only where the tree needs them, or where C programmers would misread it (shifts
/// beside additions, & beside == and the like; compilers warn there).
Code binary_code(BinaryOp op, const Code& left, const Code& right);

/// Lines of a program with two spaces of indentation a level.
class SourceWriter {
 public:
  void line(std::string_view text);
  void blank();
  void indent() { ++depth_; }
  void outdent() { --depth_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int depth_ = 0;
};

/// The shortest decimal that reads back as exactly this value, always with a point or exponent: "1.0", "1e-5".
/// The value is finite.
std::string shortest_float(float value);
std::string shortest_double(double value);

}  // namespace driftwood::shader
