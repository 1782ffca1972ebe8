// The values of a chat template: Python's, as far as templates use them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace driftwood::jinja {

class Value;
struct Callable;

/// A name that is not set; prints as nothing, and may not be looked into.
struct Undefined {};
struct None {};

using List = std::vector<Value>;
/// In the order of insertion, as in Python; keys are strings.
using Dict = std::vector<std::pair<std::string, Value>>;

/// The deepest nesting of lists and dicts.
inline constexpr int deepest_value = 100;

/// Strings, lists and dicts are shared, not copied: values are cheap to pass. Only namespaces change after they are
/// made, and no list or dict may hold one, so that nesting is bounded and free of cycles.
class Value {
 public:
  Value() : data_(Undefined{}) {}
  Value(None none) : data_(none) {}
  Value(bool truth) : data_(truth) {}
  Value(int number) : data_(std::int64_t{number}) {}
  Value(std::int64_t number) : data_(number) {}
  Value(double number) : data_(number) {}
  Value(const char* text) : Value(std::string(text)) {}
  Value(std::string_view text) : Value(std::string(text)) {}
  Value(std::string text) : data_(std::make_shared<const std::string>(std::move(text))) {}
  /// Throws InvalidInput where the nesting is too deep or a namespace is held; so does the next.
  Value(List list);
  Value(Dict dict);
  /// A function; `depth` is the nesting of what it holds.
  explicit Value(std::shared_ptr<const Callable> callable, int depth = 0) : data_(std::move(callable)), depth_(depth) {}
  /// A list that prints with parentheses and equals no list.
  static Value make_tuple(List list);
  /// A dict that `set name.attribute` may change.
  static Value make_namespace(Dict dict);

  bool is_undefined() const { return std::holds_alternative<Undefined>(data_); }
  bool is_none() const { return std::holds_alternative<None>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(data_); }
  bool is_float() const { return std::holds_alternative<double>(data_); }
  bool is_number() const { return is_bool() || is_integer() || is_float(); }
  bool is_string() const { return std::holds_alternative<std::shared_ptr<const std::string>>(data_); }
  bool is_list() const { return std::holds_alternative<std::shared_ptr<List>>(data_); }
  bool is_dict() const { return std::holds_alternative<std::shared_ptr<Dict>>(data_); }
  bool is_callable() const { return std::holds_alternative<std::shared_ptr<const Callable>>(data_); }
  bool is_namespace() const { return is_namespace_; }
  bool is_tuple() const { return is_tuple_; }  // is_list() too

  // Each may be called only where the question above says yes.
  bool boolean() const { return std::get<bool>(data_); }
  std::int64_t integer() const { return std::get<std::int64_t>(data_); }
  const std::string& string() const { return *std::get<std::shared_ptr<const std::string>>(data_); }
  const List& list() const { return *std::get<std::shared_ptr<List>>(data_); }
  const Dict& dict() const { return *std::get<std::shared_ptr<Dict>>(data_); }
  /// Sets a member of a namespace. Throws InvalidInput where the member is a namespace.
  void set_member(std::string_view key, Value value);
  const std::shared_ptr<const Callable>& callable() const { return std::get<std::shared_ptr<const Callable>>(data_); }
  /// Of any number; True is 1.
  double number() const;
  /// Of a bool or integer.
  std::int64_t whole() const { return is_bool() ? boolean() : integer(); }

  /// Python's bool(): false for nothing, zero and empty.
  bool truth() const;

  /// The member of a dict, or null.
  const Value* find(std::string_view key) const;

  /// Of lists and dicts, this one included; 0 for anything else.
  int depth() const { return depth_; }

  /// "string", "list", ... for messages.
  std::string_view type_name() const;

 private:
  int depth_within() const;

  std::variant<Undefined, None, bool, std::int64_t, double, std::shared_ptr<const std::string>, std::shared_ptr<List>,
               std::shared_ptr<Dict>, std::shared_ptr<const Callable>>
      data_;
  bool is_namespace_ = false;
  bool is_tuple_ = false;
  int depth_ = 0;
};

/// Python's ==. Throws InvalidInput after millions of comparisons.
bool equal(const Value& a, const Value& b);

/// Sets or adds a member.
void assign(Dict& dict, std::string_view key, Value value);

/// The longest text that printing a value may give; past it InvalidInput. (Shared parts print each time.)
inline constexpr std::size_t longest_text = std::size_t{64} << 20;

/// As `{{ value }}` prints it: Python's str().
std::string to_text(const Value& value);

/// Python's repr(), as inside a printed list.
std::string to_repr(const Value& value);

struct JsonFormat {
  int indent = -1;  // -1: on one line
  bool sort_keys = false;
  bool ascii = false;
  std::string item_separator, key_separator;  // empty: ", " (or "," with an indent) and ": "
};

/// As the filter tojson of Hugging Face prints it: Python's json.dumps(ensure_ascii=False).
std::string to_json(const Value& value, const JsonFormat& format = {});

/// The value of a JSON text. Throws InvalidInput where it is none or nests deeper than deepest_value.
Value parse_json(std::string_view text);

}  // namespace driftwood::jinja
