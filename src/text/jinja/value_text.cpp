// Values as text: Python's str() and repr(), and JSON both ways.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "text/jinja/value.h"
#include "text/utf8.h"

namespace driftwood::jinja {

namespace {

void check_length(const std::string& out) {
  if (out.size() > longest_text) {
    throw InvalidInput(fmt::format("A value of the chat template prints as more than {} bytes.", longest_text));
  }
}

std::string float_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  // The shortest digits that read back the same, with Python's bounds for an exponent.
  std::string text = fmt::format("{}", number);
  if (std::abs(number) >= 1e16 || (number != 0 && std::abs(number) < 1e-4)) return text;
  if (text.find('e') != std::string::npos) text = fmt::format("{:.1f}", number);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

void put_string_repr(std::string& out, const std::string& text) {
  const bool has_single = text.find('\'') != std::string::npos;
  const char quote = has_single && text.find('"') == std::string::npos ? '"' : '\'';
  out += quote;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  out += quote;
}

void put_repr(std::string& out, const Value& value) {
  check_length(out);
  if (value.is_string()) {
    put_string_repr(out, value.string());
  } else if (value.is_list()) {
    out += value.is_tuple() ? '(' : '[';
    for (std::size_t i = 0; i < value.list().size(); ++i) {
      if (i > 0) out += ", ";
      put_repr(out, value.list()[i]);
    }
    if (value.is_tuple() && value.list().size() == 1) out += ',';
    out += value.is_tuple() ? ')' : ']';
  } else if (value.is_dict()) {
    out += '{';
    for (std::size_t i = 0; i < value.dict().size(); ++i) {
      if (i > 0) out += ", ";
      put_string_repr(out, value.dict()[i].first);
      out += ": ";
      put_repr(out, value.dict()[i].second);
    }
    out += '}';
  } else if (value.is_undefined()) {
    out += "Undefined";
  } else {
    out += to_text(value);
  }
}

void put_json_string(std::string& out, std::string_view text, bool ascii) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Character character = utf8::decode(text, at);
    const char32_t code = character.code;
    if (code == '"' || code == '\\') {
      out += {'\\', static_cast<char>(code)};
    } else if (code == '\n') {
      out += "\\n";
    } else if (code == '\r') {
      out += "\\r";
    } else if (code == '\t') {
      out += "\\t";
    } else if (code == '\b') {
      out += "\\b";
    } else if (code == '\f') {
      out += "\\f";
    } else if (code < 0x20 || (ascii && code >= 0x7F && code < 0x10000)) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    } else if (ascii && code >= 0x10000) {
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + static_cast<std::uint32_t>((code - 0x10000) >> 10),
                         0xDC00 + static_cast<std::uint32_t>(code & 0x3FF));
    } else {
      out.append(text.substr(at, character.length));
    }
    at += character.length;
  }
  out += '"';
}

class JsonWriter {
 public:
  JsonWriter(const JsonFormat& format, std::string& out) : format_(format), out_(out) {
    item_ = !format.item_separator.empty() ? format.item_separator : format.indent >= 0 ? "," : ", ";
    key_ = !format.key_separator.empty() ? format.key_separator : ": ";
  }

  void put(const Value& value, int depth) {
    check_length(out_);
    if (value.is_string()) {
      put_json_string(out_, value.string(), format_.ascii);
    } else if (value.is_bool()) {
      out_ += value.boolean() ? "true" : "false";
    } else if (value.is_none()) {
      out_ += "null";
    } else if (value.is_float()) {
      const std::string text = float_text(value.number());
      out_ += text == "nan" ? "NaN" : text == "inf" ? "Infinity" : text == "-inf" ? "-Infinity" : text;
    } else if (value.is_integer()) {
      out_ += std::to_string(value.integer());
    } else if (value.is_list()) {
      put_items('[', ']', value.list().size(), depth, [&](std::size_t i) { put(value.list()[i], depth + 1); });
    } else if (value.is_dict()) {
      Dict members = value.dict();
      if (format_.sort_keys) {
        std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      }
      put_items('{', '}', members.size(), depth, [&](std::size_t i) {
        put_json_string(out_, members[i].first, format_.ascii);
        out_ += key_;
        put(members[i].second, depth + 1);
      });
    } else {
      throw InvalidInput(fmt::format("The filter tojson cannot print a value of the type {}.", value.type_name()));
    }
  }

 private:
  template <class Put>
  void put_items(char open, char close, std::size_t count, int depth, const Put& put_item) {
    out_ += open;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += item_;
      new_line(depth + 1);
      put_item(i);
    }
    if (count > 0) new_line(depth);
    out_ += close;
  }

  void new_line(int depth) {
    if (format_.indent < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(format_.indent * depth), ' ');
  }

  const JsonFormat& format_;
  std::string& out_;
  std::string item_, key_;
};

Value from_json(const nlohmann::ordered_json& json, int depth) {
  if (depth > deepest_value) {
    throw InvalidInput(fmt::format("The JSON nests deeper than {} levels.", deepest_value));
  }
  switch (json.type()) {
    case nlohmann::json::value_t::boolean: return json.get<bool>();
    case nlohmann::json::value_t::string: return json.get<std::string>();
    case nlohmann::json::value_t::number_float: return json.get<double>();
    case nlohmann::json::value_t::number_integer: return json.get<std::int64_t>();
    case nlohmann::json::value_t::number_unsigned: {
      const auto number = json.get<std::uint64_t>();
      if (number > INT64_MAX) return static_cast<double>(number);
      return static_cast<std::int64_t>(number);
    }
    case nlohmann::json::value_t::array: {
      List list;
      for (const auto& item : json) list.push_back(from_json(item, depth + 1));
      return list;
    }
    case nlohmann::json::value_t::object: {
      Dict dict;
      for (const auto& [key, item] : json.items()) dict.emplace_back(key, from_json(item, depth + 1));
      return dict;
    }
    default: return None{};
  }
}

}  // namespace

std::string to_text(const Value& value) {
  if (value.is_string()) return value.string();
  if (value.is_undefined()) return {};
  if (value.is_none()) return "None";
  if (value.is_bool()) return value.boolean() ? "True" : "False";
  if (value.is_integer()) return std::to_string(value.integer());
  if (value.is_float()) return float_text(value.number());
  if (value.is_callable()) return "<function>";
  return to_repr(value);
}

std::string to_repr(const Value& value) {
  std::string out;
  put_repr(out, value);
  return out;
}

std::string to_json(const Value& value, const JsonFormat& format) {
  std::string out;
  JsonWriter(format, out).put(value, 0);
  return out;
}

Value parse_json(std::string_view text) {
  try {
    return from_json(nlohmann::ordered_json::parse(text), 0);
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(fmt::format("The text is no valid JSON: {}.", error.what()));
  }
}

}  // namespace driftwood::jinja
