// The argument and result types of the numeric built-in functions, as a table (W3C WGSL, section 17).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shader/builtins.h"
#include "shader/types.h"

namespace driftwood::shader::checking {

/// What the type T of a signature may be.
enum class Operands : std::uint8_t {
  None,           // no T
  Float,          // f32, f16 or abstract-float, scalar or vector
  FloatVector,    //
  Float3,         // vec3 of floats
  Numeric,        // floats and integers, scalar or vector
  SignedNumeric,  // the same without u32
  NumericVector,  //
  Integer,        // i32 or u32, scalar or vector
  Unsigned,       // u32, scalar or vector
  Bool,           // bool, scalar or vector
  Everything,     // scalar or vector of anything
};

/// One way to call a built-in. A letter stands for a type:
///   T itself   t scalar of T   U u32 of T's width   I i32 of T's width
///   u u32   i i32   f f32   b bool   2 vec2<f32>   4 vec4<f32>   p vec4<i32>   q vec4<u32>   v nothing
/// I takes an abstract-int too.
struct Signature {
  Builtin builtin;
  Operands operands;
  const char* parameters;
  char result;
  bool must_be_used = true;
};

/// The types a call is made with: what each argument is to be converted to.
struct ResolvedCall {
  std::vector<TypePtr> parameters;
  TypePtr result;
  bool must_be_used = true;
};

/// The first signature that takes arguments of these types, or nothing. T is abstract only if all arguments are
/// abstract and `may_stay_abstract`.
std::optional<ResolvedCall> resolve_builtin(Builtin builtin, const std::vector<TypePtr>& arguments,
                                            bool may_stay_abstract);

/// Whether the table has rows for the built-in (others are checked one by one).
bool has_signature(Builtin builtin);

/// "(T, T, T) with T a float scalar or vector", for error messages; alternatives joined by " or ".
std::string describe_signatures(Builtin builtin);

}  // namespace driftwood::shader::checking
