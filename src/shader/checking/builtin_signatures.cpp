#include "shader/checking/builtin_signatures.h"

#include <array>
#include <cstring>
#include <string_view>

#include "shader/checking/conversions.h"

namespace driftwood::shader::checking {

namespace {

using enum Builtin;
using enum Operands;

constexpr Signature signatures[] = {
    {Abs, Numeric, "T", 'T'},
    {Acos, Float, "T", 'T'},
    {Acosh, Float, "T", 'T'},
    {Asin, Float, "T", 'T'},
    {Asinh, Float, "T", 'T'},
    {Atan, Float, "T", 'T'},
    {Atanh, Float, "T", 'T'},
    {Atan2, Float, "TT", 'T'},
    {Ceil, Float, "T", 'T'},
    {Clamp, Numeric, "TTT", 'T'},
    {Cos, Float, "T", 'T'},
    {Cosh, Float, "T", 'T'},
    {Degrees, Float, "T", 'T'},
    {Exp, Float, "T", 'T'},
    {Exp2, Float, "T", 'T'},
    {Floor, Float, "T", 'T'},
    {Fma, Float, "TTT", 'T'},
    {Fract, Float, "T", 'T'},
    {InverseSqrt, Float, "T", 'T'},
    {Log, Float, "T", 'T'},
    {Log2, Float, "T", 'T'},
    {Max, Numeric, "TT", 'T'},
    {Min, Numeric, "TT", 'T'},
    {Mix, Float, "TTT", 'T'},
    {Mix, FloatVector, "TTt", 'T'},
    {Pow, Float, "TT", 'T'},
    {Radians, Float, "T", 'T'},
    {Round, Float, "T", 'T'},
    {Saturate, Float, "T", 'T'},
    {Sign, SignedNumeric, "T", 'T'},
    {Sin, Float, "T", 'T'},
    {Sinh, Float, "T", 'T'},
    {Smoothstep, Float, "TTT", 'T'},
    {Sqrt, Float, "T", 'T'},
    {Step, Float, "TT", 'T'},
    {Tan, Float, "T", 'T'},
    {Tanh, Float, "T", 'T'},
    {Trunc, Float, "T", 'T'},
    {Ldexp, Float, "TI", 'T'},
    {CountLeadingZeros, Integer, "T", 'T'},
    {CountOneBits, Integer, "T", 'T'},
    {CountTrailingZeros, Integer, "T", 'T'},
    {ExtractBits, Integer, "Tuu", 'T'},
    {FirstLeadingBit, Integer, "T", 'T'},
    {FirstTrailingBit, Integer, "T", 'T'},
    {InsertBits, Integer, "TTuu", 'T'},
    {ReverseBits, Integer, "T", 'T'},
    {Cross, Float3, "TT", 'T'},
    {Distance, Float, "TT", 't'},
    {Dot, NumericVector, "TT", 't'},
    {Length, Float, "T", 't'},
    {Normalize, FloatVector, "T", 'T'},
    {All, Bool, "T", 'b'},
    {Any, Bool, "T", 'b'},
    {Select, Everything, "TTb", 'T'},
    {Select, Everything, "TTB", 'T'},
    {Pack2x16Float, None, "2", 'u'},
    {Unpack2x16Float, None, "u", '2'},
    {Pack4x8Snorm, None, "4", 'u'},
    {Unpack4x8Snorm, None, "u", '4'},
    {Pack4x8Unorm, None, "4", 'u'},
    {Unpack4x8Unorm, None, "u", '4'},
    {Pack4xI8, None, "p", 'u'},
    {Pack4xU8, None, "q", 'u'},
    {Pack4xI8Clamp, None, "p", 'u'},
    {Pack4xU8Clamp, None, "q", 'u'},
    {Unpack4xI8, None, "u", 'p'},
    {Unpack4xU8, None, "u", 'q'},
    {Dot4I8Packed, None, "uu", 'i'},
    {Dot4U8Packed, None, "uu", 'u'},
    {Dot4U8I8Packed, Unsigned, "TT", 'I'},
    {WorkgroupBarrier, None, "", 'v', false},
    {StorageBarrier, None, "", 'v', false},
    {IssueLoads, None, "", 'v', false},
    {SubgroupAdd, Numeric, "T", 'T'},
    {SubgroupMul, Numeric, "T", 'T'},
    {SubgroupMax, Numeric, "T", 'T'},
    {SubgroupMin, Numeric, "T", 'T'},
    {SubgroupExclusiveAdd, Numeric, "T", 'T'},
    {SubgroupInclusiveAdd, Numeric, "T", 'T'},
    {SubgroupAll, None, "b", 'b'},
    {SubgroupAny, None, "b", 'b'},
    {SubgroupElect, None, "", 'b'},
    {SubgroupBroadcast, Numeric, "Tu", 'T'},
    {SubgroupBroadcastFirst, Numeric, "T", 'T'},
    {SubgroupShuffle, Numeric, "Tu", 'T'},
    {SubgroupShuffleXor, Numeric, "Tu", 'T'},
    {SubgroupShuffleUp, Numeric, "Tu", 'T'},
    {SubgroupShuffleDown, Numeric, "Tu", 'T'},
    {QuantizeToF16, Float, "T", 'T'},
};

bool admits(Operands operands, Scalar scalar, int width) {
  switch (operands) {
    case None: return false;
    case Float: return is_float(scalar);
    case FloatVector: return is_float(scalar) && width > 1;
    case Float3: return is_float(scalar) && width == 3;
    case Numeric: return scalar != Scalar::Bool;
    case SignedNumeric: return scalar != Scalar::Bool && scalar != Scalar::U32;
    case NumericVector: return scalar != Scalar::Bool && width > 1;
    case Integer: return scalar == Scalar::I32 || scalar == Scalar::U32;
    case Unsigned: return scalar == Scalar::U32;
    case Bool: return scalar == Scalar::Bool;
    case Everything: return true;
  }
  return false;
}

TypePtr type_of_letter(char letter, Scalar scalar, int width) {
  switch (letter) {
    case 'T': return numeric_type(scalar, width);
    case 't': return scalar_type(scalar);
    case 'U': return numeric_type(Scalar::U32, width);
    case 'I': return numeric_type(Scalar::I32, width);
    case 'B': return numeric_type(Scalar::Bool, width);
    case 'u': return scalar_type(Scalar::U32);
    case 'i': return scalar_type(Scalar::I32);
    case 'f': return scalar_type(Scalar::F32);
    case 'b': return scalar_type(Scalar::Bool);
    case '2': return vector_type(Scalar::F32, 2);
    case '4': return vector_type(Scalar::F32, 4);
    case 'p': return vector_type(Scalar::I32, 4);
    case 'q': return vector_type(Scalar::U32, 4);
    default: return void_type();
  }
}

/// Finds T from the arguments in its places; false if they do not agree or the signature does not admit it.
bool deduce(const Signature& signature, const std::vector<TypePtr>& arguments, bool may_stay_abstract, Scalar& scalar,
            int& width) {
  std::optional<Scalar> common;
  width = 1;
  bool has_whole = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const char letter = signature.parameters[i];
    if (letter != 'T' && letter != 't') continue;
    const int own_width = width_of(arguments[i]);
    const auto own = scalar_of(arguments[i]);
    if (own_width == 0 || (letter == 't' && own_width != 1)) return false;
    common = common ? unify(*common, *own) : own;
    if (!common) return false;
    if (letter == 't') continue;
    if (has_whole && own_width != width) return false;
    width = own_width;
    has_whole = true;
  }
  scalar = *common;
  const bool wants_float =
      signature.operands == Float || signature.operands == FloatVector || signature.operands == Float3;
  if (wants_float && scalar == Scalar::AbstractInt) scalar = Scalar::AbstractFloat;
  if (signature.operands == Integer || !may_stay_abstract) scalar = concrete(scalar);
  return admits(signature.operands, scalar, width);
}

std::optional<ResolvedCall> match(const Signature& signature, const std::vector<TypePtr>& arguments,
                                  bool may_stay_abstract) {
  if (std::strlen(signature.parameters) != arguments.size()) return std::nullopt;
  Scalar scalar = Scalar::F32;
  int width = 1;
  if (signature.operands != None && !deduce(signature, arguments, may_stay_abstract, scalar, width)) {
    return std::nullopt;
  }
  if (signature.builtin == QuantizeToF16 && concrete(scalar) != Scalar::F32) return std::nullopt;
  ResolvedCall call;
  call.must_be_used = signature.must_be_used;
  call.result = type_of_letter(signature.result, scalar, width);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    call.parameters.push_back(type_of_letter(signature.parameters[i], scalar, width));
    if (!converts(arguments[i], call.parameters.back())) return std::nullopt;
  }
  return call;
}

std::string_view describe(Operands operands) {
  switch (operands) {
    case None: return "";
    case Float: return "a float scalar or vector";
    case FloatVector: return "a vector of floats";
    case Float3: return "a vec3 of floats";
    case Numeric: return "a numeric scalar or vector";
    case SignedNumeric: return "a scalar or vector of i32 or floats";
    case NumericVector: return "a numeric vector";
    case Integer: return "a scalar or vector of i32 or u32";
    case Unsigned: return "a scalar or vector of u32";
    case Bool: return "bool or a vector of bool";
    case Everything: return "a scalar or vector";
  }
  return "";
}

std::string letter_text(char letter) {
  switch (letter) {
    case 'T': return "T";
    case 't': return "scalar of T";
    case 'U': return "u32 of T's width";
    case 'I': return "i32 of T's width";
    case 'B': return "bool of T's width";
    default: return to_string(type_of_letter(letter, Scalar::F32, 1));
  }
}

}  // namespace

std::optional<ResolvedCall> resolve_builtin(Builtin builtin, const std::vector<TypePtr>& arguments,
                                            bool may_stay_abstract) {
  for (const Signature& signature : signatures) {
    if (signature.builtin != builtin) continue;
    if (auto call = match(signature, arguments, may_stay_abstract)) return call;
  }
  return std::nullopt;
}

bool has_signature(Builtin builtin) {
  for (const Signature& signature : signatures) {
    if (signature.builtin == builtin) return true;
  }
  return false;
}

std::string describe_signatures(Builtin builtin) {
  std::string text;
  for (const Signature& signature : signatures) {
    if (signature.builtin != builtin) continue;
    if (!text.empty()) text += " or ";
    std::string parameters;
    for (const char* letter = signature.parameters; *letter; ++letter) {
      parameters += (parameters.empty() ? "" : ", ") + letter_text(*letter);
    }
    text += "(" + parameters + ")";
    if (signature.operands != None) text += " with T " + std::string(describe(signature.operands));
  }
  return text;
}

}  // namespace driftwood::shader::checking
