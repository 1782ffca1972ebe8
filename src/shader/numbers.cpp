#include "shader/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/half.h"

namespace driftwood::shader {

namespace {

bool all_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view decimal_digits = "0123456789";
constexpr std::string_view hexadecimal_digits = "0123456789abcdefABCDEF";

bool parse_integer(std::string_view digits, int base, char suffix, ConstantScalar& value, std::string& error) {
  std::uint64_t number = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  const Scalar scalar = suffix == 'u' ? Scalar::U32 : suffix == 'i' ? Scalar::I32 : Scalar::AbstractInt;
  const std::uint64_t limit = suffix == 'u'   ? std::numeric_limits<std::uint32_t>::max()
                              : suffix == 'i' ? std::numeric_limits<std::int32_t>::max()
                                              : std::numeric_limits<std::int64_t>::max();
  if (result.ec != std::errc() || number > limit) {
    error = "The number does not fit into " + std::string(to_string(scalar)) + "; the largest is " +
            std::to_string(limit) + ".";
    return false;
  }
  value = ConstantScalar::of_int(scalar, static_cast<std::int64_t>(number));
  return true;
}

/// Whether `text` is DIGITS[.DIGITS][(e|p)[+-]DIGITS] with a digit and with a point or an exponent.
bool is_float_form(std::string_view text, bool hexadecimal) {
  const auto exponent = text.find_first_of(hexadecimal ? "pP" : "eE");
  std::string_view mantissa = text.substr(0, exponent);
  if (exponent != std::string_view::npos) {
    std::string_view digits = text.substr(exponent + 1);
    if (!digits.empty() && (digits[0] == '+' || digits[0] == '-')) digits.remove_prefix(1);
    if (digits.empty() || !all_of(digits, decimal_digits)) return false;
  }
  const auto point = mantissa.find('.');
  if (point == std::string_view::npos && exponent == std::string_view::npos) return false;
  const std::string_view allowed = hexadecimal ? hexadecimal_digits : decimal_digits;
  const std::string_view whole = mantissa.substr(0, point);
  const std::string_view part = point == std::string_view::npos ? std::string_view() : mantissa.substr(point + 1);
  return (!whole.empty() || !part.empty()) && all_of(whole, allowed) && all_of(part, allowed);
}

template <typename Float>
std::optional<Float> to_float(std::string_view text, bool hexadecimal) {
  Float number = 0;
  const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number, format);
  if (result.ec == std::errc() && result.ptr == text.data() + text.size()) return number;
  if (result.ec != std::errc::result_out_of_range) return std::nullopt;
  // Too small is zero, too large is an error; the sign of the exponent tells them apart.
  const auto exponent = text.find_first_of(hexadecimal ? "pP" : "eE");
  if (exponent != std::string_view::npos && text[exponent + 1] == '-') return Float{0};
  if (exponent == std::string_view::npos && text.starts_with("0.")) return Float{0};
  return std::nullopt;
}

bool parse_float(std::string_view text, bool hexadecimal, char suffix, ConstantScalar& value, std::string& error) {
  const Scalar scalar = suffix == 'f' ? Scalar::F32 : suffix == 'h' ? Scalar::F16 : Scalar::AbstractFloat;
  std::optional<double> number;
  if (suffix == '\0') {
    number = to_float<double>(text, hexadecimal);
  } else if (const auto single = to_float<float>(text, hexadecimal)) {
    number = *single;
    if (suffix == 'h') number = half_to_float(float_to_half(*single));
  }
  if (!number || !std::isfinite(*number)) {
    error = "The number does not fit into " + std::string(to_string(scalar)) + ".";
    return false;
  }
  value = ConstantScalar::of_float(scalar, *number);
  return true;
}

}  // namespace

bool parse_number(std::string_view text, ConstantScalar& value, std::string& error) {
  const std::string_view literal = text;
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  char suffix = '\0';
  const bool has_exponent = text.find_first_of("pP") != std::string_view::npos;
  if (!text.empty()) {
    const char last = text.back();
    // In hexadecimal, 'f' is a digit unless an exponent went before.
    if (last == 'i' || last == 'u' || last == 'h' || (last == 'f' && (!hexadecimal || has_exponent))) suffix = last;
    if (suffix != '\0') text.remove_suffix(1);
  }
  const std::string_view digits = hexadecimal ? hexadecimal_digits : decimal_digits;
  const bool integral = !text.empty() && all_of(text, digits);
  if (integral && !hexadecimal && text.size() > 1 && text[0] == '0') {
    error = "A decimal number cannot begin with 0.";
    return false;
  }
  if (integral && suffix != 'f' && suffix != 'h')
    return parse_integer(text, hexadecimal ? 16 : 10, suffix, value, error);
  const bool float_suffix_alone = integral && !hexadecimal;
  if (suffix != 'i' && suffix != 'u' && (float_suffix_alone || is_float_form(text, hexadecimal))) {
    return parse_float(text, hexadecimal, suffix, value, error);
  }
  error = "'" + std::string(literal.substr(0, 40)) + (literal.size() > 40 ? "..." : "") + "' is not a number.";
  return false;
}

}  // namespace driftwood::shader
