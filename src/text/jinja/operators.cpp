#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "text/jinja/python_text.h"
#include "text/jinja/runtime.h"

namespace driftwood::jinja {

void fail(std::string message) { throw InvalidInput(std::move(message)); }

void Budget::fail_steps() { fail(fmt::format("The chat template takes more than {} steps.", most_steps)); }
void Budget::fail_bytes() { fail(fmt::format("The chat template makes more than {} bytes of values.", most_bytes)); }

Value make_callable(std::function<Value(Arguments&)> call, int depth) {
  return Value(std::make_shared<const Callable>(Callable{std::move(call)}), depth);
}

const Value* Arguments::get(std::size_t index, std::string_view name) const {
  if (index < positional.size()) return &positional[index];
  for (const auto& [key, value] : named) {
    if (key == name) return &value;
  }
  return nullptr;
}

const Value& Arguments::need(std::size_t index, std::string_view name) const {
  const Value* value = get(index, name);
  if (value == nullptr) fail(fmt::format("The argument '{}' is missing.", name));
  return *value;
}

std::string Arguments::text(std::size_t index, std::string_view name, std::string_view otherwise) const {
  const Value* value = get(index, name);
  if (value == nullptr) return std::string(otherwise);
  if (!value->is_string())
    fail(fmt::format("The argument '{}' is of the type {}, but must be a string.", name, value->type_name()));
  return value->string();
}

std::int64_t Arguments::whole(std::size_t index, std::string_view name, std::int64_t otherwise) const {
  const Value* value = get(index, name);
  if (value == nullptr || value->is_none()) return otherwise;
  if (!value->is_integer() && !value->is_bool()) {
    fail(fmt::format("The argument '{}' is of the type {}, but must be an integer.", name, value->type_name()));
  }
  return value->whole();
}

bool Arguments::truth(std::size_t index, std::string_view name, bool otherwise) const {
  const Value* value = get(index, name);
  return value == nullptr ? otherwise : value->truth();
}

namespace {

[[noreturn]] void fail_types(std::string_view op, const Value& left, const Value& right) {
  fail(fmt::format("The operator '{}' cannot take values of the types {} and {}.", op, left.type_name(),
                   right.type_name()));
}

[[noreturn]] void fail_overflow(std::string_view op) {
  fail(fmt::format("The result of '{}' does not fit 64 bits.", op));
}

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  while (true) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) fail_overflow("**");
    exponent >>= 1;
    if (exponent == 0) return result;
    if (__builtin_mul_overflow(base, base, &base)) fail_overflow("**");
  }
}

Value float_arithmetic(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "**") return std::pow(a, b);
  if (b == 0) fail("The chat template divides by zero.");
  if (op == "/") return a / b;
  const double quotient = std::floor(a / b);
  return op == "//" ? quotient : a - quotient * b;
}

Value whole_arithmetic(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "+" || op == "-" || op == "*") {
    const bool overflows = op == "+"   ? __builtin_add_overflow(a, b, &result)
                           : op == "-" ? __builtin_sub_overflow(a, b, &result)
                                       : __builtin_mul_overflow(a, b, &result);
    if (overflows) fail_overflow(op);
    return result;
  }
  if (op == "**" && b >= 0) return power(a, b);
  if (op == "//" || op == "%") {
    if (b == 0) fail("The chat template divides by zero.");
    if (b == -1) {  // whose quotient may not fit
      if (op == "%") return std::int64_t{0};
      if (__builtin_sub_overflow(std::int64_t{0}, a, &result)) fail_overflow(op);
      return result;
    }
    // Python rounds down, C++ toward zero.
    const std::int64_t rest = a % b;
    const bool rounds_up = rest != 0 && (rest < 0) != (b < 0);
    return op == "//" ? a / b - (rounds_up ? 1 : 0) : rest + (rounds_up ? b : 0);
  }
  return float_arithmetic(op, static_cast<double>(a), static_cast<double>(b));
}

Value repeat(const Value& value, std::int64_t count, Budget& budget) {
  const auto times = static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
  const std::uint64_t size = value.is_string() ? value.string().size() : value.list().size() * sizeof(Value);
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(size, times, &bytes)) bytes = Budget::most_bytes + 1;
  budget.bytes(bytes);
  if (size == 0) return value;
  if (value.is_string()) {
    std::string text;
    text.reserve(bytes);
    for (std::uint64_t i = 0; i < times; ++i) text += value.string();
    return text;
  }
  List list;
  for (std::uint64_t i = 0; i < times; ++i) list.insert(list.end(), value.list().begin(), value.list().end());
  return list;
}

}  // namespace

Value apply_binary(std::string_view op, const Value& left, const Value& right, Budget& budget) {
  if (op == "~" || (op == "+" && left.is_string() && right.is_string())) {
    const std::string a = left.is_string() ? std::string() : to_text(left);
    const std::string b = right.is_string() ? std::string() : to_text(right);
    const std::string& x = left.is_string() ? left.string() : a;
    const std::string& y = right.is_string() ? right.string() : b;
    budget.bytes(x.size() + y.size());
    return x + y;
  }
  if (left.is_number() && right.is_number()) {
    if (left.is_float() || right.is_float() || op == "/") return float_arithmetic(op, left.number(), right.number());
    return whole_arithmetic(op, left.whole(), right.whole());
  }
  if (op == "+" && left.is_list() && right.is_list()) {
    budget.bytes((left.list().size() + right.list().size()) * sizeof(Value));
    List list = left.list();
    list.insert(list.end(), right.list().begin(), right.list().end());
    return list;
  }
  if (op == "*") {
    const auto repeats = [](const Value& value) { return value.is_string() || value.is_list(); };
    if (repeats(left) && (right.is_integer() || right.is_bool())) return repeat(left, right.whole(), budget);
    if (repeats(right) && (left.is_integer() || left.is_bool())) return repeat(right, left.whole(), budget);
  }
  fail_types(op, left, right);
}

Value apply_sign(std::string_view op, const Value& operand) {
  if (!operand.is_number())
    fail(fmt::format("The sign '{}' cannot take a value of the type {}.", op, operand.type_name()));
  if (operand.is_float()) return op == "-" ? -operand.number() : operand.number();
  return op == "-" ? whole_arithmetic("-", 0, operand.whole()) : Value(operand.whole());
}

int compare(const Value& left, const Value& right, Budget& budget, int depth) {
  budget.step();
  const auto sign = [](const auto& a, const auto& b) { return a < b ? -1 : b < a ? 1 : 0; };
  if (left.is_number() && right.is_number()) {
    if (left.is_float() || right.is_float()) return sign(left.number(), right.number());
    return sign(left.whole(), right.whole());
  }
  if (left.is_string() && right.is_string()) return sign(left.string(), right.string());
  if (left.is_list() && right.is_list() && depth < deepest_value) {
    const std::size_t common = std::min(left.list().size(), right.list().size());
    for (std::size_t i = 0; i < common; ++i) {
      const int order = compare(left.list()[i], right.list()[i], budget, depth + 1);
      if (order != 0) return order;
    }
    return sign(left.list().size(), right.list().size());
  }
  fail_types("<", left, right);
}

bool apply_comparison(std::string_view op, const Value& left, const Value& right, Budget& budget) {
  if (op == "==") return equal(left, right);
  if (op == "!=") return !equal(left, right);
  if (op == "in") {
    if (right.is_string()) {
      if (!left.is_string()) fail_types("in", left, right);
      budget.step(right.string().size() / 64);
      return right.string().find(left.string()) != std::string::npos;
    }
    if (right.is_dict()) return left.is_string() && right.find(left.string()) != nullptr;
    if (right.is_undefined()) return false;
    if (!right.is_list()) fail_types("in", left, right);
    budget.step(right.list().size());
    return std::any_of(right.list().begin(), right.list().end(), [&](const Value& item) { return equal(item, left); });
  }
  if (op == "not in") return !apply_comparison("in", left, right, budget);
  // Not a number is neither less nor greater.
  if (left.is_number() && right.is_number() && (std::isnan(left.number()) || std::isnan(right.number()))) return false;
  const int order = compare(left, right, budget);
  if (op == "<") return order < 0;
  if (op == "<=") return order <= 0;
  if (op == ">") return order > 0;
  return order >= 0;
}

Value subscript(const Value& object, const Value& index, Budget& budget) {
  if (object.is_dict()) {
    if (!index.is_string()) return {};
    budget.step(object.dict().size() / 8);
    const Value* member = object.find(index.string());
    return member == nullptr ? Value() : *member;
  }
  if ((object.is_list() || object.is_string()) && (index.is_integer() || index.is_bool())) {
    if (object.is_string()) budget.step(object.string().size() / 16);
    const auto size = static_cast<std::int64_t>(object.is_list() ? object.list().size() : length_of(object.string()));
    const std::int64_t at = index.whole() < 0 ? index.whole() + size : index.whole();
    if (at < 0 || at >= size) return {};
    if (object.is_list()) return object.list()[static_cast<std::size_t>(at)];
    return characters_of(object.string())[static_cast<std::size_t>(at)];
  }
  return {};
}

Value slice(const Value& object, const Value& start, const Value& stop, const Value& step, Budget& budget) {
  if (!object.is_list() && !object.is_string()) {
    fail(fmt::format("A value of the type {} cannot be sliced.", object.type_name()));
  }
  const auto bound = [](const Value& value, std::int64_t otherwise) {
    if (value.is_undefined() || value.is_none()) return otherwise;
    if (!value.is_integer() && !value.is_bool()) fail("The bounds of a slice must be integers.");
    return value.whole();
  };
  const List items = items_of(object, budget);
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t by = bound(step, 1);
  if (by == 0 || by == std::numeric_limits<std::int64_t>::min()) fail("The step of a slice must not be zero.");
  // As Python's slice.indices(): bounds from the end, then clamped.
  const std::int64_t lowest = by > 0 ? 0 : -1;
  const std::int64_t highest = by > 0 ? size : size - 1;
  const auto clamp = [&](std::int64_t at) { return std::clamp(at < 0 ? at + size : at, lowest, highest); };
  std::int64_t at = start.is_undefined() || start.is_none() ? (by > 0 ? 0 : size - 1) : clamp(bound(start, 0));
  const std::int64_t end = stop.is_undefined() || stop.is_none() ? (by > 0 ? size : -1) : clamp(bound(stop, 0));
  List picked;
  while (by > 0 ? at < end : at > end) {
    picked.push_back(items[static_cast<std::size_t>(at)]);
    if (__builtin_add_overflow(at, by, &at)) break;
  }
  if (object.is_tuple()) return Value::make_tuple(std::move(picked));
  if (object.is_list()) return picked;
  std::string text;
  for (const Value& character : picked) text += character.string();
  return text;
}

List items_of(const Value& value, Budget& budget) {
  if (value.is_list()) {
    budget.bytes(value.list().size() * sizeof(Value));
    return value.list();
  }
  List items;
  if (value.is_dict()) {
    budget.bytes(value.dict().size() * sizeof(Value));
    for (const auto& member : value.dict()) items.emplace_back(member.first);
  } else if (value.is_string()) {
    budget.bytes(value.string().size() * (sizeof(Value) + sizeof(std::string)));
    for (const std::string_view character : characters_of(value.string())) items.emplace_back(character);
  } else if (!value.is_undefined()) {
    fail(fmt::format("A value of the type {} has no items to go over.", value.type_name()));
  }
  return items;
}

Value attribute_path(const Value& object, const Value& path, Budget& budget) {
  if (!path.is_string()) return subscript(object, path, budget);
  Value value = object;
  for (const std::string_view name : split_at(path.string(), ".", -1)) {
    const bool is_index =
        !name.empty() && name.size() < 10 && name.find_first_not_of("0123456789") == std::string_view::npos;
    value = is_index && value.is_list() ? subscript(value, Value(std::stoi(std::string(name))), budget)
                                        : subscript(value, Value(name), budget);
  }
  return value;
}

}  // namespace driftwood::jinja
