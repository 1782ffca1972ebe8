#include "shader/checking/constant_builtins.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/half.h"
#include "shader/checking/constants.h"
#include "shader/checking/conversions.h"

namespace driftwood::shader::checking {

namespace {

using Components = std::vector<ConstantScalar>;
using Arguments = std::vector<Components>;

double number(const ConstantScalar& value) { return is_float(value.scalar) ? value.f : static_cast<double>(value.i); }

// ---- one number each ----------------------------------------------------------------------------------------

using Function1 = double (*)(double);

double fract(double x) { return x - std::floor(x); }
double saturate(double x) { return std::clamp(x, 0.0, 1.0); }
double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
double degrees(double x) { return x * (180 / std::numbers::pi); }
double radians(double x) { return x * (std::numbers::pi / 180); }
double inverse_sqrt(double x) { return 1 / std::sqrt(x); }
double quantize(double x) { return half_to_float(float_to_half(static_cast<float>(x))); }
double square_root(double x) { return std::sqrt(x); }

Function1 unary_function(Builtin builtin) {
  switch (builtin) {
    case Builtin::Acos: return [](double x) { return std::acos(x); };
    case Builtin::Acosh: return [](double x) { return std::acosh(x); };
    case Builtin::Asin: return [](double x) { return std::asin(x); };
    case Builtin::Asinh: return [](double x) { return std::asinh(x); };
    case Builtin::Atan: return [](double x) { return std::atan(x); };
    case Builtin::Atanh: return [](double x) { return std::atanh(x); };
    case Builtin::Ceil: return [](double x) { return std::ceil(x); };
    case Builtin::Cos: return [](double x) { return std::cos(x); };
    case Builtin::Cosh: return [](double x) { return std::cosh(x); };
    case Builtin::Degrees: return degrees;
    case Builtin::Exp: return [](double x) { return std::exp(x); };
    case Builtin::Exp2: return [](double x) { return std::exp2(x); };
    case Builtin::Floor: return [](double x) { return std::floor(x); };
    case Builtin::Fract: return fract;
    case Builtin::InverseSqrt: return inverse_sqrt;
    case Builtin::Log: return [](double x) { return std::log(x); };
    case Builtin::Log2: return [](double x) { return std::log2(x); };
    case Builtin::QuantizeToF16: return quantize;
    case Builtin::Radians: return radians;
    case Builtin::Round: return [](double x) { return std::nearbyint(x); };
    case Builtin::Saturate: return saturate;
    case Builtin::Sign: return sign;
    case Builtin::Sin: return [](double x) { return std::sin(x); };
    case Builtin::Sinh: return [](double x) { return std::sinh(x); };
    case Builtin::Sqrt: return square_root;
    case Builtin::Tan: return [](double x) { return std::tan(x); };
    case Builtin::Tanh: return [](double x) { return std::tanh(x); };
    case Builtin::Trunc: return [](double x) { return std::trunc(x); };
    default: return nullptr;
  }
}

std::optional<double> float_function(Builtin builtin, const double* a) {
  switch (builtin) {
    case Builtin::Atan2: return std::atan2(a[0], a[1]);
    case Builtin::Fma: return a[0] * a[1] + a[2];
    case Builtin::Mix: return a[0] * (1 - a[2]) + a[1] * a[2];
    case Builtin::Pow: return std::pow(a[0], a[1]);
    case Builtin::Step: return a[0] <= a[1] ? 1.0 : 0.0;
    case Builtin::Ldexp: return std::ldexp(a[0], static_cast<int>(a[1]));
    case Builtin::Smoothstep: {
      const double t = saturate((a[2] - a[0]) / (a[1] - a[0]));
      return t * t * (3 - 2 * t);
    }
    default: return std::nullopt;
  }
}

std::optional<std::int64_t> bit_function(Builtin builtin, std::uint32_t x, bool is_signed) {
  switch (builtin) {
    case Builtin::CountLeadingZeros: return std::countl_zero(x);
    case Builtin::CountTrailingZeros: return std::countr_zero(x);
    case Builtin::CountOneBits: return std::popcount(x);
    case Builtin::FirstTrailingBit: return x == 0 ? -1 : std::countr_zero(x);
    case Builtin::FirstLeadingBit:
      if (is_signed && (x >> 31U) != 0) x = ~x;
      return x == 0 ? -1 : 31 - std::countl_zero(x);
    case Builtin::ReverseBits: {
      std::uint32_t reversed = 0;
      for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1U) << (31 - bit);
      return static_cast<std::int64_t>(reversed);
    }
    default: return std::nullopt;
  }
}

/// Bit fields; nothing for other built-ins.
std::optional<Folded> field_function(Builtin builtin, const Components& a) {
  const bool inserts = builtin == Builtin::InsertBits;
  if (!inserts && builtin != Builtin::ExtractBits) return std::nullopt;
  const std::int64_t offset = a[inserts ? 2 : 1].i;
  const std::int64_t count = a[inserts ? 3 : 2].i;
  if (offset + count > 32) return Folded{ConstantScalar(), "The offset and the count of bits exceed 32."};
  const std::uint64_t mask = ((std::uint64_t{1} << count) - 1) << offset;
  const auto bits = static_cast<std::uint64_t>(a[0].i) & 0xFFFFFFFFU;
  if (inserts) {
    const std::uint64_t field = static_cast<std::uint64_t>(a[1].i) << offset & mask;
    return Folded{wrapped(static_cast<std::int64_t>((bits & ~mask) | field), a[0].scalar), {}};
  }
  std::uint64_t field = (bits & mask) >> offset;
  const bool negative = a[0].scalar == Scalar::I32 && count > 0 && (field >> (count - 1) & 1U) != 0;
  if (negative) field |= ~std::uint64_t{0} << count;
  return Folded{wrapped(static_cast<std::int64_t>(field), a[0].scalar), {}};
}

bool less(const ConstantScalar& a, const ConstantScalar& b) { return is_float(a.scalar) ? a.f < b.f : a.i < b.i; }

/// One component of a built-in that works component by component; nothing if it is none.
std::optional<Folded> fold_component(Builtin builtin, const Components& a) {
  const Scalar scalar = a[0].scalar;
  switch (builtin) {
    case Builtin::Min: return Folded{less(a[1], a[0]) ? a[1] : a[0], {}};
    case Builtin::Max: return Folded{less(a[0], a[1]) ? a[1] : a[0], {}};
    case Builtin::Clamp:
      if (less(a[2], a[1])) return Folded{ConstantScalar(), "The lower bound of 'clamp' exceeds the upper one."};
      return Folded{less(a[0], a[1]) ? a[1] : less(a[2], a[0]) ? a[2] : a[0], {}};
    case Builtin::Abs:
      if (is_float(scalar)) return Folded{ConstantScalar::of_float(scalar, std::fabs(a[0].f)), {}};
      return Folded{a[0].i < 0 ? wrapped(-a[0].i, scalar) : a[0], {}};
    case Builtin::Select: return Folded{a[2].i ? a[1] : a[0], {}};
    default: break;
  }
  if (const auto field = field_function(builtin, a)) return field;
  if (is_integer(scalar)) {
    if (builtin == Builtin::Sign) return Folded{wrapped(a[0].i > 0 ? 1 : a[0].i < 0 ? -1 : 0, scalar), {}};
    const auto bits = bit_function(builtin, static_cast<std::uint32_t>(a[0].i), scalar == Scalar::I32);
    if (!bits) return std::nullopt;
    return Folded{wrapped(*bits, scalar), {}};
  }
  if (!is_float(scalar)) return std::nullopt;
  if (const Function1 function = unary_function(builtin)) return rounded(function(a[0].f), scalar);
  double numbers[3] = {};
  for (std::size_t i = 0; i < a.size() && i < 3; ++i) numbers[i] = number(a[i]);
  const auto result = float_function(builtin, numbers);
  if (!result) return std::nullopt;
  return rounded(*result, scalar);
}

// ---- whole vectors ------------------------------------------------------------------------------------------

FoldedComponents one(const Folded& folded) { return {{folded.value}, folded.error}; }

/// a . b, in the arithmetic of their type.
Folded dot(const Components& a, const Components& b) {
  Folded sum;
  for (std::size_t i = 0; i < a.size() && sum.ok(); ++i) {
    const Folded product = fold_binary(BinaryOp::Multiply, a[i], b[i]);
    if (!product.ok()) return product;
    sum = i == 0 ? product : fold_binary(BinaryOp::Add, sum.value, product.value);
  }
  return sum;
}

Folded length(const Components& a) {
  const Folded squares = dot(a, a);
  return squares.ok() ? rounded(std::sqrt(squares.value.f), a[0].scalar) : squares;
}

FoldedComponents cross(const Components& a, const Components& b) {
  FoldedComponents result;
  for (std::size_t i = 0; i < 3 && result.error.empty(); ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    const Folded component = rounded(a[j].f * b[k].f - a[k].f * b[j].f, a[0].scalar);
    result.error = component.error;
    result.components.push_back(component.value);
  }
  return result;
}

FoldedComponents subtract(const Components& a, const Components& b) {
  FoldedComponents result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Folded difference = fold_binary(BinaryOp::Subtract, a[i], b[i]);
    if (!difference.ok()) result.error = difference.error;
    result.components.push_back(difference.value);
  }
  return result;
}

FoldedComponents normalize(const Components& a) {
  FoldedComponents result{a, {}};
  const Folded norm = length(a);
  if (!norm.ok()) return {a, norm.error};
  if (norm.value.f == 0) return {a, "A vector of length 0 has no direction."};
  for (ConstantScalar& component : result.components)
    component.f = rounded(component.f / norm.value.f, component.scalar).value.f;
  return result;
}

std::optional<FoldedComponents> fold_vector(Builtin builtin, const Arguments& a) {
  switch (builtin) {
    case Builtin::Dot: return one(dot(a[0], a[1]));
    case Builtin::Length: return one(length(a[0]));
    case Builtin::Distance: {
      const FoldedComponents difference = subtract(a[0], a[1]);
      return difference.error.empty() ? one(length(difference.components)) : difference;
    }
    case Builtin::Normalize: return normalize(a[0]);
    case Builtin::Cross: return cross(a[0], a[1]);
    case Builtin::All:
    case Builtin::Any: {
      const auto is_true = [](const ConstantScalar& c) { return c.i != 0; };
      const bool all = builtin == Builtin::All;
      const bool value =
          all ? std::all_of(a[0].begin(), a[0].end(), is_true) : std::any_of(a[0].begin(), a[0].end(), is_true);
      return one({ConstantScalar::of_int(Scalar::Bool, value ? 1 : 0), {}});
    }
    default: return std::nullopt;
  }
}

// ---- packing ------------------------------------------------------------------------------------------------

std::int64_t lane(const ConstantScalar& word, int index, bool is_signed) {
  const auto byte = static_cast<std::uint8_t>(static_cast<std::uint64_t>(word.i) >> (8 * index));
  return is_signed ? std::int64_t{static_cast<std::int8_t>(byte)} : std::int64_t{byte};
}

std::uint32_t pack_lane(Builtin builtin, const ConstantScalar& value) {
  std::int64_t lane = value.i;
  switch (builtin) {
    case Builtin::Pack4x8Snorm: lane = std::lround(std::floor(0.5 + 127 * std::clamp(value.f, -1.0, 1.0))); break;
    case Builtin::Pack4x8Unorm: lane = std::lround(std::floor(0.5 + 255 * std::clamp(value.f, 0.0, 1.0))); break;
    case Builtin::Pack4xI8Clamp: lane = std::clamp<std::int64_t>(lane, -128, 127); break;
    case Builtin::Pack4xU8Clamp: lane = std::clamp<std::int64_t>(lane, 0, 255); break;
    default: break;
  }
  return static_cast<std::uint32_t>(lane) & 0xFFU;
}

ConstantScalar word_of(std::uint32_t bits) { return ConstantScalar::of_int(Scalar::U32, bits); }

std::optional<FoldedComponents> fold_packing(Builtin builtin, const Arguments& a) {
  Components result;
  switch (builtin) {
    case Builtin::Pack4x8Snorm:
    case Builtin::Pack4x8Unorm:
    case Builtin::Pack4xI8:
    case Builtin::Pack4xU8:
    case Builtin::Pack4xI8Clamp:
    case Builtin::Pack4xU8Clamp: {
      std::uint32_t word = 0;
      for (std::size_t i = 0; i < 4; ++i) word |= pack_lane(builtin, a[0][i]) << (8 * i);
      return FoldedComponents{{word_of(word)}, {}};
    }
    case Builtin::Unpack4x8Snorm:
    case Builtin::Unpack4x8Unorm:
    case Builtin::Unpack4xI8:
    case Builtin::Unpack4xU8:
      for (int i = 0; i < 4; ++i) {
        const bool is_signed = builtin == Builtin::Unpack4x8Snorm || builtin == Builtin::Unpack4xI8;
        const auto value = static_cast<double>(lane(a[0][0], i, is_signed));
        if (builtin == Builtin::Unpack4x8Snorm) {
          result.push_back(rounded(std::max(value / 127, -1.0), Scalar::F32).value);
        } else if (builtin == Builtin::Unpack4x8Unorm) {
          result.push_back(rounded(value / 255, Scalar::F32).value);
        } else {
          result.push_back(
              ConstantScalar::of_int(is_signed ? Scalar::I32 : Scalar::U32, static_cast<std::int64_t>(value)));
        }
      }
      return FoldedComponents{result, {}};
    case Builtin::Pack2x16Float: {
      const std::uint32_t low = float_to_half(static_cast<float>(a[0][0].f));
      const std::uint32_t high = float_to_half(static_cast<float>(a[0][1].f));
      return FoldedComponents{{word_of(low | high << 16U)}, {}};
    }
    case Builtin::Unpack2x16Float: {
      FoldedComponents unpacked;
      for (int i = 0; i < 2; ++i) {
        const auto bits = static_cast<std::uint16_t>(static_cast<std::uint64_t>(a[0][0].i) >> (16 * i));
        const Folded value = rounded(half_to_float(bits), Scalar::F32);
        if (!value.ok()) unpacked.error = value.error;
        unpacked.components.push_back(value.value);
      }
      return unpacked;
    }
    case Builtin::Dot4I8Packed:
    case Builtin::Dot4U8Packed: {
      const bool is_signed = builtin == Builtin::Dot4I8Packed;
      std::int64_t sum = 0;
      for (int i = 0; i < 4; ++i) sum += lane(a[0][0], i, is_signed) * lane(a[1][0], i, is_signed);
      return FoldedComponents{{ConstantScalar::of_int(is_signed ? Scalar::I32 : Scalar::U32, sum)}, {}};
    }
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<FoldedComponents> fold_builtin(Builtin builtin, const Arguments& arguments, const TypePtr& result) {
  if (arguments.empty()) return std::nullopt;
  if (auto packed = fold_packing(builtin, arguments)) return packed;
  if (auto whole = fold_vector(builtin, arguments)) return whole;
  FoldedComponents folded;
  const auto count = static_cast<std::size_t>(std::max(1, width_of(result)));
  for (std::size_t i = 0; i < count; ++i) {
    Components operands;
    for (const Components& argument : arguments) operands.push_back(argument[argument.size() == 1 ? 0 : i]);
    const auto component = fold_component(builtin, operands);
    if (!component) return std::nullopt;
    if (!component->ok() && folded.error.empty()) folded.error = component->error;
    folded.components.push_back(component->value);
  }
  return folded;
}

}  // namespace driftwood::shader::checking
