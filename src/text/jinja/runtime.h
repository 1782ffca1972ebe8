// What running a template needs beside its tree: bounds, calls, and Jinja's filters, tests and methods.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/jinja/value.h"

namespace driftwood::jinja {

/// Throws InvalidInput: a fault of the template or of what it is given. The interpreter adds the line.
[[noreturn]] void fail(std::string message);

/// What one rendering may use, so that no template can hang the process or fill its memory.
class Budget {
 public:
  static constexpr std::uint64_t most_steps = 5'000'000;
  static constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;  // of all strings and lists made

  void step(std::uint64_t count = 1) {
    steps_ += count;
    if (steps_ > most_steps) fail_steps();
  }
  /// Of a string or list about to be made, before it is.
  void bytes(std::uint64_t count) {
    if (count > most_bytes - bytes_) fail_bytes();
    bytes_ += count;
  }

 private:
  [[noreturn]] static void fail_steps();
  [[noreturn]] static void fail_bytes();

  std::uint64_t steps_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Evaluated arguments of a call.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;

  /// The argument at `index`, or of that name; null where it is not given.
  const Value* get(std::size_t index, std::string_view name) const;
  /// The same as text or whole number; `otherwise` where it is not given. Throws InvalidInput for another type.
  std::string text(std::size_t index, std::string_view name, std::string_view otherwise) const;
  std::int64_t whole(std::size_t index, std::string_view name, std::int64_t otherwise) const;
  bool truth(std::size_t index, std::string_view name, bool otherwise) const;
  /// Throws InvalidInput where it is not given.
  const Value& need(std::size_t index, std::string_view name) const;
};

struct Callable {
  std::function<Value(Arguments&)> call;
};

/// `depth`: the nesting of the values that `call` holds.
Value make_callable(std::function<Value(Arguments&)> call, int depth = 0);

// Operators (operators.cpp). All charge the budget for what they make.
Value apply_binary(std::string_view op, const Value& left, const Value& right, Budget& budget);
Value apply_sign(std::string_view op, const Value& operand);
bool apply_comparison(std::string_view op, const Value& left, const Value& right, Budget& budget);
/// Python's order of numbers, strings and lists: negative, zero or positive.
int compare(const Value& left, const Value& right, Budget& budget, int depth = 0);
Value subscript(const Value& object, const Value& index, Budget& budget);
Value slice(const Value& object, const Value& start, const Value& stop, const Value& step, Budget& budget);
/// The items that a for loop goes over: of a list, the keys of a dict, the characters of a string.
List items_of(const Value& value, Budget& budget);

// Filters and tests by name (filters.cpp, filters_of_lists.cpp, tests.cpp). Throw Unsupported for unknown names.
Value apply_filter(std::string_view name, const Value& input, Arguments& arguments, Budget& budget);
bool apply_test(std::string_view name, const Value& input, Arguments& arguments, Budget& budget);
/// Those that work on lists; false where the name is another.
bool apply_list_filter(std::string_view name, const Value& input, Arguments& arguments, Budget& budget, Value& result);

/// The method of a string, list or dict (methods.cpp) as a callable; undefined where there is none.
Value find_method(const Value& object, std::string_view name, Budget& budget);

/// The attribute "a.b.0" of a value, as filters name it.
Value attribute_path(const Value& object, const Value& path, Budget& budget);

}  // namespace driftwood::jinja
