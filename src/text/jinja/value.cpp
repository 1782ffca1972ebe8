#include "text/jinja/value.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace driftwood::jinja {

namespace {

// Room for what templates wrap around a message, such as the loop variable.
constexpr int deepest_container = deepest_value + 10;

}  // namespace

int Value::depth_within() const {
  if (is_namespace_) throw InvalidInput("The chat template puts a namespace into a list, a dict or a namespace.");
  if (depth_ >= deepest_container) {
    throw InvalidInput(fmt::format("A value of the chat template nests deeper than {} levels.", deepest_value));
  }
  return depth_ + 1;
}

Value::Value(List list) {
  depth_ = 1;
  for (const Value& item : list) depth_ = std::max(depth_, item.depth_within());
  data_ = std::make_shared<List>(std::move(list));
}

Value::Value(Dict dict) {
  depth_ = 1;
  for (const auto& member : dict) depth_ = std::max(depth_, member.second.depth_within());
  data_ = std::make_shared<Dict>(std::move(dict));
}

void Value::set_member(std::string_view key, Value value) {
  value.depth_within();
  assign(*std::get<std::shared_ptr<Dict>>(data_), key, std::move(value));
}

Value Value::make_namespace(Dict dict) {
  Value value(std::move(dict));
  value.is_namespace_ = true;
  return value;
}

Value Value::make_tuple(List list) {
  Value value(std::move(list));
  value.is_tuple_ = true;
  return value;
}

double Value::number() const {
  if (is_float()) return std::get<double>(data_);
  return static_cast<double>(whole());
}

bool Value::truth() const {
  if (is_undefined() || is_none()) return false;
  if (is_number()) return number() != 0;
  if (is_string()) return !string().empty();
  if (is_list()) return !list().empty();
  if (is_dict() && !is_namespace_) return !dict().empty();
  return true;
}

const Value* Value::find(std::string_view key) const {
  if (!is_dict()) return nullptr;
  for (const auto& [name, value] : dict()) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string_view Value::type_name() const {
  if (is_undefined()) return "undefined";
  if (is_none()) return "none";
  if (is_bool()) return "boolean";
  if (is_integer()) return "integer";
  if (is_float()) return "float";
  if (is_string()) return "string";
  if (is_list()) return "list";
  if (is_dict()) return is_namespace_ ? "namespace" : "dict";
  return "function";
}

namespace {

bool equal_within(const Value& a, const Value& b, int& budget) {
  if (--budget < 0) throw InvalidInput("The chat template compares values that are too large.");
  if (a.is_number() && b.is_number()) {
    if (a.is_float() || b.is_float()) return a.number() == b.number();
    return a.whole() == b.whole();
  }
  if (a.is_string() && b.is_string()) return a.string() == b.string();
  if (a.is_list() && b.is_list() && a.is_tuple() == b.is_tuple()) {
    return std::equal(a.list().begin(), a.list().end(), b.list().begin(), b.list().end(),
                      [&](const Value& x, const Value& y) { return equal_within(x, y, budget); });
  }
  if (a.is_dict() && b.is_dict()) {
    if (a.dict().size() != b.dict().size()) return false;
    return std::all_of(a.dict().begin(), a.dict().end(), [&](const auto& member) {
      const Value* other = b.find(member.first);
      return other != nullptr && equal_within(member.second, *other, budget);
    });
  }
  if (a.is_callable() && b.is_callable()) return a.callable() == b.callable();
  return (a.is_none() && b.is_none()) || (a.is_undefined() && b.is_undefined());
}

}  // namespace

bool equal(const Value& a, const Value& b) {
  int budget = 10'000'000;
  return equal_within(a, b, budget);
}

void assign(Dict& dict, std::string_view key, Value value) {
  for (auto& [name, member] : dict) {
    if (name == key) {
      member = std::move(value);
      return;
    }
  }
  dict.emplace_back(key, std::move(value));
}

}  // namespace driftwood::jinja
