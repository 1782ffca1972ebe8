// Jinja's filters of single values; those of lists are in filters_of_lists.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "text/jinja/python_text.h"
#include "text/jinja/runtime.h"
#include "text/utf8.h"

namespace driftwood::jinja {

namespace {

using Filter = Value (*)(const Value&, Arguments&, Budget&);

std::string text_of(const Value& input, Budget& budget) {
  std::string text = to_text(input);
  budget.bytes(text.size());
  return text;
}

Value length_filter(const Value& input, Arguments&, Budget& budget) {
  if (input.is_string()) {
    budget.step(input.string().size() / 16);
    return static_cast<std::int64_t>(length_of(input.string()));
  }
  if (input.is_list()) return static_cast<std::int64_t>(input.list().size());
  if (input.is_dict()) return static_cast<std::int64_t>(input.dict().size());
  if (input.is_undefined()) return 0;
  fail(fmt::format("A value of the type {} has no length.", input.type_name()));
}

Value default_filter(const Value& input, Arguments& arguments, Budget&) {
  const bool is_missing = input.is_undefined() || (arguments.truth(1, "boolean", false) && !input.truth());
  if (!is_missing) return input;
  const Value* otherwise = arguments.get(0, "default_value");
  return otherwise == nullptr ? Value("") : *otherwise;
}

Value trim_filter(const Value& input, Arguments& arguments, Budget& budget) {
  const std::string text = text_of(input, budget);
  const Value* set = arguments.get(0, "chars");
  if (set == nullptr || set->is_none()) return strip(text);
  return strip(text, arguments.text(0, "chars", ""), Side::Both);
}

Value replace_filter(const Value& input, Arguments& arguments, Budget& budget) {
  const std::string text = text_of(input, budget);
  const std::string from = to_text(arguments.need(0, "old"));
  const std::string to = to_text(arguments.need(1, "new"));
  budget.bytes((text.size() / std::max<std::size_t>(from.size(), 1) + 1) * to.size());
  return replace_all(text, from, to, arguments.whole(2, "count", -1));
}

Value tojson_filter(const Value& input, Arguments& arguments, Budget& budget) {
  JsonFormat format;
  format.ascii = arguments.truth(0, "ensure_ascii", false);
  format.indent = static_cast<int>(std::clamp<std::int64_t>(arguments.whole(1, "indent", -1), -1, 64));
  const Value* separators = arguments.get(2, "separators");
  if (separators != nullptr && separators->is_list() && separators->list().size() == 2) {
    format.item_separator = to_text(separators->list()[0]);
    format.key_separator = to_text(separators->list()[1]);
  }
  format.sort_keys = arguments.truth(3, "sort_keys", false);
  std::string text = to_json(input, format);
  budget.bytes(text.size());
  return text;
}

Value indent_filter(const Value& input, Arguments& arguments, Budget& budget) {
  const std::string text = text_of(input, budget);
  const Value* width = arguments.get(0, "width");
  const std::string margin =
      width != nullptr && width->is_string()
          ? width->string()
          : std::string(static_cast<std::size_t>(std::clamp<std::int64_t>(arguments.whole(0, "width", 4), 0, 1000)),
                        ' ');
  const bool first = arguments.truth(1, "first", false);
  const bool blank = arguments.truth(2, "blank", false);
  std::string out;
  bool is_first = true;
  for (const std::string_view line : split_at(text, "\n", -1)) {
    budget.bytes(margin.size() + 1);
    if (!is_first) out += '\n';
    if (is_first ? first : blank || !line.empty()) out += margin;
    out += line;
    is_first = false;
  }
  return out;
}

Value int_filter(const Value& input, Arguments& arguments, Budget&) {
  if (input.is_bool() || input.is_integer()) return input.whole();
  const Value otherwise(arguments.whole(0, "default", 0));
  double number = 0;
  if (input.is_float()) {
    number = input.number();
  } else if (input.is_string()) {
    std::string_view text = strip(input.string());
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int64_t whole = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (result.ec == std::errc() && result.ptr == text.data() + text.size() && !text.empty()) return whole;
    const auto real = std::from_chars(text.data(), text.data() + text.size(), number);
    if (real.ec != std::errc() || real.ptr != text.data() + text.size()) return otherwise;
  } else {
    return otherwise;
  }
  if (!(std::abs(number) < 9.2e18)) return otherwise;
  return static_cast<std::int64_t>(number);
}

Value float_filter(const Value& input, Arguments& arguments, Budget&) {
  if (input.is_number()) return input.number();
  const Value* otherwise = arguments.get(0, "default");
  if (input.is_string()) {
    const std::string_view text = strip(input.string());
    double number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec == std::errc() && result.ptr == text.data() + text.size() && !text.empty()) return number;
  }
  return otherwise == nullptr ? Value(0.0) : *otherwise;
}

Value round_filter(const Value& input, Arguments& arguments, Budget&) {
  if (!input.is_number()) fail(fmt::format("A value of the type {} cannot be rounded.", input.type_name()));
  const double scale =
      std::pow(10.0, static_cast<double>(std::clamp<std::int64_t>(arguments.whole(0, "precision", 0), -300, 300)));
  const std::string method = arguments.text(1, "method", "common");
  const double scaled = input.number() * scale;
  if (method == "ceil") return std::ceil(scaled) / scale;
  if (method == "floor") return std::floor(scaled) / scale;
  return std::nearbyint(scaled) / scale;  // halves to even, as Python
}

Value abs_filter(const Value& input, Arguments&, Budget&) {
  if (!input.is_number()) fail(fmt::format("A value of the type {} has no absolute value.", input.type_name()));
  if (input.is_float()) return std::abs(input.number());
  return input.whole() < 0 ? apply_sign("-", input) : Value(input.whole());
}

Value escape_filter(const Value& input, Arguments&, Budget& budget) {
  const std::string text = text_of(input, budget);
  budget.bytes(text.size() * 5);
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&#34;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

Value items_filter(const Value& input, Arguments&, Budget& budget) {
  if (input.is_undefined()) return List{};
  if (!input.is_dict()) fail(fmt::format("The filter 'items' cannot take a value of the type {}.", input.type_name()));
  Arguments none;
  return find_method(input, "items", budget).callable()->call(none);
}

/// Runs of letters, digits and underscores.
Value wordcount_filter(const Value& input, Arguments&, Budget& budget) {
  const std::string text = text_of(input, budget);
  std::int64_t words = 0;
  bool is_within = false;
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Character character = utf8::decode(text, at);
    at += character.length;
    const char32_t code = character.code;
    const bool is_ascii = code < 0x80;
    const bool is_part =
        is_ascii ? code == '_' || (code >= '0' && code <= '9') || ((code | 0x20) >= 'a' && (code | 0x20) <= 'z')
                 : !utf8::is_white_space(code);
    if (is_part && !is_within) ++words;
    is_within = is_part;
  }
  return words;
}

Value truncate_filter(const Value& input, Arguments& arguments, Budget& budget) {
  const std::string text = text_of(input, budget);
  const std::int64_t most = arguments.whole(0, "length", 255);
  const std::string end = arguments.text(2, "end", "...");
  const std::int64_t leeway = arguments.whole(3, "leeway", 5);
  const auto end_length = static_cast<std::int64_t>(length_of(end));
  if (most < end_length || leeway < 0) {
    fail(fmt::format("The filter 'truncate' has the length {} and the leeway {}; at least {} and 0 are needed.", most,
                     leeway, end_length));
  }
  const std::vector<std::string_view> characters = characters_of(text);
  const auto length = static_cast<std::int64_t>(characters.size());
  if (length <= most || length - most <= leeway) return text;
  const auto kept_length = static_cast<std::size_t>(most - end_length);
  const std::size_t bytes =
      kept_length == 0 ? 0 : static_cast<std::size_t>(characters[kept_length].data() - text.data());
  std::string kept = text.substr(0, bytes);
  if (!arguments.truth(1, "killwords", false)) kept.resize(std::min(kept.rfind(' '), kept.size()));
  return kept + end;
}

constexpr std::pair<std::string_view, Filter> filters[] = {
    {"length", length_filter},
    {"count", length_filter},
    {"default", default_filter},
    {"d", default_filter},
    {"trim", trim_filter},
    {"replace", replace_filter},
    {"tojson", tojson_filter},
    {"indent", indent_filter},
    {"int", int_filter},
    {"float", float_filter},
    {"round", round_filter},
    {"abs", abs_filter},
    {"escape", escape_filter},
    {"e", escape_filter},
    {"items", items_filter},
    {"wordcount", wordcount_filter},
    {"truncate", truncate_filter},
    {"upper", [](const Value& input, Arguments&, Budget& budget) { return Value(upper(text_of(input, budget))); }},
    {"lower", [](const Value& input, Arguments&, Budget& budget) { return Value(lower(text_of(input, budget))); }},
    {"title", [](const Value& input, Arguments&, Budget& budget) { return Value(title(text_of(input, budget))); }},
    {"capitalize",
     [](const Value& input, Arguments&, Budget& budget) { return Value(capitalize(text_of(input, budget))); }},
    {"string", [](const Value& input, Arguments&, Budget& budget) { return Value(text_of(input, budget)); }},
    {"safe", [](const Value& input, Arguments&, Budget&) { return input; }},
};

}  // namespace

Value apply_filter(std::string_view name, const Value& input, Arguments& arguments, Budget& budget) {
  for (const auto& [known, filter] : filters) {
    if (known == name) return filter(input, arguments, budget);
  }
  Value result;
  if (apply_list_filter(name, input, arguments, budget, result)) return result;
  throw Unsupported(fmt::format("The filter '{}' is not supported.", name.substr(0, 40)));
}

}  // namespace driftwood::jinja
