#include "text/jinja/globals.h"

#include <fmt/format.h>

#include <ctime>

namespace driftwood::jinja {

namespace {

Value range(Arguments& arguments, Budget& budget) {
  std::int64_t start = 0;
  std::int64_t stop = arguments.whole(0, "start", 0);
  const std::int64_t step = arguments.whole(2, "step", 1);
  if (arguments.positional.empty()) fail("The function 'range' needs a bound.");
  if (arguments.positional.size() > 1) {
    start = stop;
    stop = arguments.whole(1, "stop", 0);
  }
  if (step == 0) fail("The step of 'range' must not be zero.");
  List numbers;
  for (std::int64_t i = start; step > 0 ? i < stop : i > stop;) {
    budget.step();
    budget.bytes(sizeof(Value));
    numbers.emplace_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return numbers;
}

/// The members of the dict given first, if one is, and the named arguments.
Dict members_of(Arguments& arguments) {
  Dict members;
  if (const Value* first = arguments.get(0, ""); first != nullptr && first->is_dict()) members = first->dict();
  for (const auto& [name, value] : arguments.named) assign(members, name, value);
  return members;
}

Value now(Arguments& arguments) {
  const std::string format = arguments.text(0, "format", "%Y-%m-%d");
  const std::time_t seconds = std::time(nullptr);
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[512];
  // Zero also where the format gives no text at all.
  return std::string(text, std::strftime(text, sizeof text, format.c_str(), &local));
}

}  // namespace

Value find_global(std::string_view name, Budget& budget) {
  if (name == "range") return make_callable([&budget](Arguments& arguments) { return range(arguments, budget); });
  if (name == "dict") return make_callable([](Arguments& arguments) { return Value(members_of(arguments)); });
  if (name == "namespace") {
    return make_callable([](Arguments& arguments) { return Value::make_namespace(members_of(arguments)); });
  }
  if (name == "strftime_now") return make_callable(now);
  if (name == "raise_exception") {
    return make_callable([](Arguments& arguments) -> Value {
      fail(fmt::format("The chat template refuses the conversation: {}", to_text(arguments.need(0, "message"))));
    });
  }
  return {};
}

}  // namespace driftwood::jinja
