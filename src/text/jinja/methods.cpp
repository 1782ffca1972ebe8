// The methods of strings, lists and dicts that templates call.
#include <fmt/format.h>

#include <algorithm>

#include "text/jinja/python_text.h"
#include "text/jinja/runtime.h"

namespace driftwood::jinja {

namespace {

Value strings(const std::vector<std::string_view>& parts, Budget& budget) {
  budget.bytes(parts.size() * (sizeof(Value) + sizeof(std::string)));
  List list;
  list.reserve(parts.size());
  for (const std::string_view part : parts) list.emplace_back(part);
  return list;
}

using StringMethod = Value (*)(const std::string&, Arguments&, Budget&);

template <Side side>
Value strip_method(const std::string& text, Arguments& arguments, Budget&) {
  const Value* set = arguments.get(0, "chars");
  if (set == nullptr || set->is_none()) return strip(text, side);
  return strip(text, arguments.text(0, "chars", ""), side);
}

template <bool from_right>
Value split_method(const std::string& text, Arguments& arguments, Budget& budget) {
  const Value* separator = arguments.get(0, "sep");
  const long most = arguments.whole(1, "maxsplit", -1);
  if (separator == nullptr || separator->is_none()) {
    if (from_right && most >= 0) fail("The method 'rsplit' with a limit needs a separator.");
    return strings(split_words(text, most), budget);
  }
  const std::string at = arguments.text(0, "sep", "");
  if (at.empty()) fail("The separator of 'split' must not be empty.");
  return strings(from_right ? split_at_right(text, at, most) : split_at(text, at, most), budget);
}

/// Whether the text begins (or ends) with the argument, or with one of a tuple.
template <bool at_end>
Value affix_method(const std::string& text, Arguments& arguments, Budget&) {
  const Value& affix = arguments.need(0, "prefix");
  const auto has = [&](const Value& value) {
    if (!value.is_string()) fail(fmt::format("A prefix or suffix of the type {} is not a string.", value.type_name()));
    return at_end ? text.ends_with(value.string()) : text.starts_with(value.string());
  };
  if (affix.is_list()) return std::any_of(affix.list().begin(), affix.list().end(), has);
  return has(affix);
}

template <bool from_right>
Value find_method_of_string(const std::string& text, Arguments& arguments, Budget&) {
  const std::string wanted = arguments.text(0, "sub", "");
  const std::size_t at = from_right ? text.rfind(wanted) : text.find(wanted);
  if (at == std::string::npos) return std::int64_t{-1};
  return static_cast<std::int64_t>(length_of(std::string_view(text).substr(0, at)));
}

/// Whether there are characters and all of them pass.
template <bool (*passes)(char)>
Value all_method(const std::string& text, Arguments&, Budget&) {
  return !text.empty() && std::all_of(text.begin(), text.end(), passes);
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
bool is_letter_or_digit(char c) { return is_digit(c) || is_letter(c); }

Value replace_method(const std::string& text, Arguments& arguments, Budget& budget) {
  const std::string from = arguments.text(0, "old", "");
  const std::string to = arguments.text(1, "new", "");
  budget.bytes(text.size() + (text.size() / std::max<std::size_t>(from.size(), 1) + 1) * to.size());
  return replace_all(text, from, to, arguments.whole(2, "count", -1));
}

Value count_method(const std::string& text, Arguments& arguments, Budget&) {
  const std::string wanted = arguments.text(0, "sub", "");
  if (wanted.empty()) return static_cast<std::int64_t>(length_of(text)) + 1;
  return static_cast<std::int64_t>(split_at(text, wanted, -1).size()) - 1;
}

Value join_method(const std::string& separator, Arguments& arguments, Budget& budget) {
  std::string out;
  bool is_first = true;
  for (const Value& item : items_of(arguments.need(0, "iterable"), budget)) {
    if (!item.is_string()) fail(fmt::format("The method 'join' cannot take an item of the type {}.", item.type_name()));
    budget.bytes(item.string().size() + separator.size());
    if (!is_first) out += separator;
    out += item.string();
    is_first = false;
  }
  return out;
}

constexpr std::pair<std::string_view, StringMethod> string_methods[] = {
    {"strip", strip_method<Side::Both>},
    {"lstrip", strip_method<Side::Left>},
    {"rstrip", strip_method<Side::Right>},
    {"split", split_method<false>},
    {"rsplit", split_method<true>},
    {"startswith", affix_method<false>},
    {"endswith", affix_method<true>},
    {"find", find_method_of_string<false>},
    {"rfind", find_method_of_string<true>},
    {"isdigit", all_method<is_digit>},
    {"isalpha", all_method<is_letter>},
    {"isalnum", all_method<is_letter_or_digit>},
    {"replace", replace_method},
    {"count", count_method},
    {"join", join_method},
    {"upper", [](const std::string& text, Arguments&, Budget&) { return Value(upper(text)); }},
    {"lower", [](const std::string& text, Arguments&, Budget&) { return Value(lower(text)); }},
    {"title", [](const std::string& text, Arguments&, Budget&) { return Value(title(text)); }},
    {"capitalize", [](const std::string& text, Arguments&, Budget&) { return Value(capitalize(text)); }},
    {"isspace",
     [](const std::string& text, Arguments&, Budget&) { return Value(!text.empty() && strip(text).empty()); }},
    {"isupper",
     [](const std::string& text, Arguments&, Budget&) { return Value(upper(text) == text && lower(text) != text); }},
    {"islower",
     [](const std::string& text, Arguments&, Budget&) { return Value(lower(text) == text && upper(text) != text); }},
    {"splitlines",
     [](const std::string& text, Arguments& arguments, Budget& budget) {
       return strings(split_lines(text, arguments.truth(0, "keepends", false)), budget);
     }},
    {"removeprefix",
     [](const std::string& text, Arguments& arguments, Budget&) {
       const std::string affix = arguments.text(0, "prefix", "");
       return Value(text.starts_with(affix) ? text.substr(affix.size()) : text);
     }},
    {"removesuffix",
     [](const std::string& text, Arguments& arguments, Budget&) {
       const std::string affix = arguments.text(0, "suffix", "");
       return Value(text.ends_with(affix) ? text.substr(0, text.size() - affix.size()) : text);
     }},
};

Value pairs_of(const Dict& dict) {
  List items;
  for (const auto& [key, value] : dict) items.push_back(Value::make_tuple({Value(key), value}));
  return items;
}

Value call_dict_method(const Value& dict, std::string_view name, Arguments& arguments, Budget& budget) {
  budget.bytes(name == "get" ? 0 : dict.dict().size() * 4 * sizeof(Value));
  if (name == "items") return pairs_of(dict.dict());
  if (name == "keys") return items_of(dict, budget);
  if (name == "values") {
    List values;
    for (const auto& member : dict.dict()) values.push_back(member.second);
    return values;
  }
  if (name == "copy") return Dict(dict.dict());
  const Value& key = arguments.need(0, "key");
  const Value* member = key.is_string() ? dict.find(key.string()) : nullptr;
  if (member != nullptr) return *member;
  const Value* otherwise = arguments.get(1, "default");
  return otherwise == nullptr ? Value(None{}) : *otherwise;
}

Value call_list_method(const Value& list, std::string_view name, Arguments& arguments, Budget& budget) {
  const Value& wanted = arguments.need(0, "value");
  budget.step(list.list().size());
  std::int64_t count = 0;
  for (std::size_t i = 0; i < list.list().size(); ++i) {
    if (!equal(list.list()[i], wanted)) continue;
    if (name == "index") return static_cast<std::int64_t>(i);
    ++count;
  }
  if (name == "index") fail("The method 'index' does not find the value in the list.");
  return count;
}

}  // namespace

Value find_method(const Value& object, std::string_view name, Budget& budget) {
  if (object.is_string()) {
    for (const auto& [known, method] : string_methods) {
      if (known != name) continue;
      return make_callable([object, method = method, &budget](Arguments& arguments) {
        budget.step(object.string().size() / 16);
        budget.bytes(object.string().size());
        return method(object.string(), arguments, budget);
      });
    }
    return {};
  }
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (object.is_dict() && !object.is_namespace() && is_one_of({"items", "keys", "values", "get", "copy"})) {
    return make_callable([object, name = std::string(name),
                          &budget](Arguments& arguments) { return call_dict_method(object, name, arguments, budget); },
                         object.depth());
  }
  if (object.is_list() && is_one_of({"index", "count"})) {
    return make_callable([object, name = std::string(name),
                          &budget](Arguments& arguments) { return call_list_method(object, name, arguments, budget); },
                         object.depth());
  }
  if ((object.is_list() && is_one_of({"append", "extend", "insert", "pop", "remove", "reverse", "sort", "clear"})) ||
      (object.is_dict() && !object.is_namespace() && is_one_of({"update", "pop", "clear", "setdefault", "popitem"}))) {
    fail(fmt::format("The method '{}' changes a {}, which chat templates may not.", name, object.type_name()));
  }
  return {};
}

}  // namespace driftwood::jinja
