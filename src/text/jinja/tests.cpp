// Jinja's tests: "is defined" and its like.
#include <fmt/format.h>

#include "base/error.h"
#include "text/jinja/python_text.h"
#include "text/jinja/runtime.h"

namespace driftwood::jinja {

namespace {

using Test = bool (*)(const Value&, Arguments&, Budget&);

std::int64_t whole_of(const Value& value) {
  if (!value.is_integer() && !value.is_bool()) {
    fail(fmt::format("The test needs an integer, not a value of the type {}.", value.type_name()));
  }
  return value.whole();
}

template <const char* op>
bool comparison_test(const Value& input, Arguments& arguments, Budget& budget) {
  return apply_comparison(op, input, arguments.need(0, "other"), budget);
}
constexpr char equals[] = "==", differs[] = "!=", less[] = "<", less_or_equal[] = "<=", greater[] = ">",
               greater_or_equal[] = ">=", within[] = "in";

bool is_same(const Value& input, Arguments& arguments, Budget&) {
  const Value& other = arguments.need(0, "other");
  return input.type_name() == other.type_name() && equal(input, other);
}

bool divides(const Value& input, Arguments& arguments, Budget&) {
  const std::int64_t by = whole_of(arguments.need(0, "num"));
  if (by == 0) fail("The test 'divisibleby' divides by zero.");
  return by == -1 || whole_of(input) % by == 0;
}

constexpr std::pair<std::string_view, Test> tests[] = {
    {"defined", [](const Value& input, Arguments&, Budget&) { return !input.is_undefined(); }},
    {"undefined", [](const Value& input, Arguments&, Budget&) { return input.is_undefined(); }},
    {"none", [](const Value& input, Arguments&, Budget&) { return input.is_none(); }},
    {"boolean", [](const Value& input, Arguments&, Budget&) { return input.is_bool(); }},
    {"true", [](const Value& input, Arguments&, Budget&) { return input.is_bool() && input.boolean(); }},
    {"false", [](const Value& input, Arguments&, Budget&) { return input.is_bool() && !input.boolean(); }},
    {"integer", [](const Value& input, Arguments&, Budget&) { return input.is_integer(); }},
    {"float", [](const Value& input, Arguments&, Budget&) { return input.is_float(); }},
    {"number", [](const Value& input, Arguments&, Budget&) { return input.is_number(); }},
    {"string", [](const Value& input, Arguments&, Budget&) { return input.is_string(); }},
    {"mapping", [](const Value& input, Arguments&, Budget&) { return input.is_dict() && !input.is_namespace(); }},
    {"iterable",
     [](const Value& input, Arguments&, Budget&) {
       return input.is_list() || input.is_string() || (input.is_dict() && !input.is_namespace()) ||
              input.is_undefined();
     }},
    {"sequence",
     [](const Value& input, Arguments&, Budget&) {
       return input.is_list() || input.is_string() || (input.is_dict() && !input.is_namespace()) ||
              input.is_undefined();
     }},
    {"callable", [](const Value& input, Arguments&, Budget&) { return input.is_callable(); }},
    {"even", [](const Value& input, Arguments&, Budget&) { return whole_of(input) % 2 == 0; }},
    {"odd", [](const Value& input, Arguments&, Budget&) { return whole_of(input) % 2 != 0; }},
    {"divisibleby", divides},
    {"lower",
     [](const Value& input, Arguments&, Budget&) {
       const std::string text = to_text(input);
       return lower(text) == text && upper(text) != text;
     }},
    {"upper",
     [](const Value& input, Arguments&, Budget&) {
       const std::string text = to_text(input);
       return upper(text) == text && lower(text) != text;
     }},
    {"sameas", is_same},
    {"eq", comparison_test<equals>},
    {"equalto", comparison_test<equals>},
    {"ne", comparison_test<differs>},
    {"lt", comparison_test<less>},
    {"lessthan", comparison_test<less>},
    {"le", comparison_test<less_or_equal>},
    {"gt", comparison_test<greater>},
    {"greaterthan", comparison_test<greater>},
    {"ge", comparison_test<greater_or_equal>},
    {"in", comparison_test<within>},
    // selectattr('x', '==', y) names operators too.
    {"==", comparison_test<equals>},
    {"!=", comparison_test<differs>},
    {"<", comparison_test<less>},
    {"<=", comparison_test<less_or_equal>},
    {">", comparison_test<greater>},
    {">=", comparison_test<greater_or_equal>},
};

}  // namespace

bool apply_test(std::string_view name, const Value& input, Arguments& arguments, Budget& budget) {
  for (const auto& [known, test] : tests) {
    if (known == name) return test(input, arguments, budget);
  }
  throw Unsupported(fmt::format("The test '{}' is not supported.", name.substr(0, 40)));
}

}  // namespace driftwood::jinja
