// Jinja's filters of lists (and of whatever has items).
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "text/jinja/python_text.h"
#include "text/jinja/runtime.h"

namespace driftwood::jinja {

namespace {

using Filter = Value (*)(const Value&, Arguments&, Budget&);

Value list_filter(const Value& input, Arguments&, Budget& budget) { return items_of(input, budget); }

Value first_filter(const Value& input, Arguments&, Budget& budget) {
  const List items = items_of(input, budget);
  return items.empty() ? Value() : items.front();
}

Value last_filter(const Value& input, Arguments&, Budget& budget) {
  const List items = items_of(input, budget);
  return items.empty() ? Value() : items.back();
}

Value reverse_filter(const Value& input, Arguments&, Budget& budget) {
  List items = items_of(input, budget);
  std::reverse(items.begin(), items.end());
  if (!input.is_string()) return items;
  std::string text;
  for (const Value& character : items) text += character.string();
  return text;
}

Value join_filter(const Value& input, Arguments& arguments, Budget& budget) {
  const Value* given = arguments.get(0, "d");
  const Value* attribute = arguments.get(1, "attribute");
  const std::string separator = given == nullptr ? "" : to_text(*given);
  std::string out;
  bool is_first = true;
  for (const Value& item : items_of(input, budget)) {
    const std::string text = to_text(attribute == nullptr ? item : attribute_path(item, *attribute, budget));
    budget.bytes(separator.size() + text.size());
    if (!is_first) out += separator;
    out += text;
    is_first = false;
  }
  return out;
}

/// What an item is sorted or told apart by: its attribute, in lower case unless case matters.
Value key_of(const Value& item, const Value* attribute, bool case_sensitive, Budget& budget) {
  Value key = attribute == nullptr ? item : attribute_path(item, *attribute, budget);
  if (!case_sensitive && key.is_string()) {
    budget.bytes(key.string().size());
    return lower(key.string());
  }
  return key;
}

/// Items in the order of their keys. Throws from compare() for keys that have no order.
void sort_by(std::vector<std::pair<Value, Value>>& keyed, bool descending, Budget& budget) {
  std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
    return descending ? compare(b.first, a.first, budget) < 0 : compare(a.first, b.first, budget) < 0;
  });
}

Value sort_filter(const Value& input, Arguments& arguments, Budget& budget) {
  const Value* attribute = arguments.get(2, "attribute");
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& item : items_of(input, budget)) {
    keyed.emplace_back(key_of(item, attribute, arguments.truth(1, "case_sensitive", false), budget), item);
  }
  sort_by(keyed, arguments.truth(0, "reverse", false), budget);
  List sorted;
  for (const auto& pair : keyed) sorted.push_back(pair.second);
  return sorted;
}

Value dictsort_filter(const Value& input, Arguments& arguments, Budget& budget) {
  if (!input.is_dict())
    fail(fmt::format("The filter 'dictsort' cannot take a value of the type {}.", input.type_name()));
  const bool by_value = arguments.text(1, "by", "key") == "value";
  std::vector<std::pair<Value, Value>> keyed;
  for (const auto& [key, value] : input.dict()) {
    const Value sorted_by = by_value ? value : Value(key);
    keyed.emplace_back(key_of(sorted_by, nullptr, arguments.truth(0, "case_sensitive", false), budget),
                       Value::make_tuple({Value(key), value}));
  }
  sort_by(keyed, arguments.truth(2, "reverse", false), budget);
  List sorted;
  for (const auto& pair : keyed) sorted.push_back(pair.second);
  return sorted;
}

/// Groups of equal keys in the order of the keys, each a pair (grouper, list).
Value groupby_filter(const Value& input, Arguments& arguments, Budget& budget) {
  const Value& attribute = arguments.need(0, "attribute");
  const Value* otherwise = arguments.get(1, "default");
  const bool case_sensitive = arguments.truth(2, "case_sensitive", false);
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& item : items_of(input, budget)) {
    const bool is_missing = otherwise != nullptr && attribute_path(item, attribute, budget).is_undefined();
    keyed.emplace_back(is_missing ? key_of(*otherwise, nullptr, case_sensitive, budget)
                                  : key_of(item, &attribute, case_sensitive, budget),
                       item);
  }
  sort_by(keyed, false, budget);
  List groups;
  for (std::size_t i = 0; i < keyed.size();) {
    // The group goes by the name that its first item has, whatever the case.
    const Value own = attribute_path(keyed[i].second, attribute, budget);
    List members;
    const std::size_t first = i;
    for (; i < keyed.size() && compare(keyed[first].first, keyed[i].first, budget) == 0; ++i) {
      members.push_back(keyed[i].second);
    }
    groups.push_back(Value::make_tuple({own.is_undefined() ? keyed[first].first : own, Value(std::move(members))}));
  }
  return groups;
}

template <int sign>
Value extreme_filter(const Value& input, Arguments& arguments, Budget& budget) {
  const Value* attribute = arguments.get(1, "attribute");
  const bool case_sensitive = arguments.truth(0, "case_sensitive", false);
  Value best, best_key;
  bool is_first = true;
  for (const Value& item : items_of(input, budget)) {
    Value key = key_of(item, attribute, case_sensitive, budget);
    if (is_first || compare(key, best_key, budget) * sign > 0) {
      best = item;
      best_key = key;
    }
    is_first = false;
  }
  return best;
}

Value sum_filter(const Value& input, Arguments& arguments, Budget& budget) {
  const Value* attribute = arguments.get(0, "attribute");
  const Value* start = arguments.get(1, "start");
  Value sum = start == nullptr ? Value(0) : *start;
  for (const Value& item : items_of(input, budget)) {
    const bool has_attribute = attribute != nullptr && !attribute->is_none();
    sum = apply_binary("+", sum, has_attribute ? attribute_path(item, *attribute, budget) : item, budget);
  }
  return sum;
}

Value unique_filter(const Value& input, Arguments& arguments, Budget& budget) {
  const Value* attribute = arguments.get(1, "attribute");
  List seen, unique;
  for (const Value& item : items_of(input, budget)) {
    const Value key = key_of(item, attribute, arguments.truth(0, "case_sensitive", false), budget);
    budget.step(seen.size());
    if (std::any_of(seen.begin(), seen.end(), [&](const Value& other) { return equal(other, key); })) continue;
    seen.push_back(key);
    unique.push_back(item);
  }
  return unique;
}

/// select, reject, selectattr and rejectattr: the items that pass a test, or truth where none is named.
template <bool keeps, bool by_attribute>
Value select_filter(const Value& input, Arguments& arguments, Budget& budget) {
  const std::size_t at = by_attribute ? 1 : 0;
  const Value attribute = by_attribute ? arguments.need(0, "attribute") : Value();
  const std::string test = arguments.text(at, "test", "");
  Arguments rest;
  if (arguments.positional.size() > at + 1) {
    rest.positional.assign(arguments.positional.begin() + static_cast<std::ptrdiff_t>(at + 1),
                           arguments.positional.end());
  }
  List picked;
  for (const Value& item : items_of(input, budget)) {
    budget.step();
    const Value tested = by_attribute ? attribute_path(item, attribute, budget) : item;
    const bool passes = test.empty() ? tested.truth() : apply_test(test, tested, rest, budget);
    if (passes == keeps) picked.push_back(item);
  }
  return picked;
}

Value map_filter(const Value& input, Arguments& arguments, Budget& budget) {
  List mapped;
  const Value* attribute = arguments.get(SIZE_MAX, "attribute");
  const Value* otherwise = arguments.get(SIZE_MAX, "default");
  const std::string filter = attribute == nullptr ? arguments.text(0, "filter", "") : "";
  if (attribute == nullptr && filter.empty()) fail("The filter 'map' needs a filter's name or an attribute.");
  for (const Value& item : items_of(input, budget)) {
    budget.step();
    if (attribute != nullptr) {
      const Value value = attribute_path(item, *attribute, budget);
      mapped.push_back(value.is_undefined() && otherwise != nullptr ? *otherwise : value);
      continue;
    }
    Arguments rest{{arguments.positional.begin() + 1, arguments.positional.end()}, arguments.named};
    mapped.push_back(apply_filter(filter, item, rest, budget));
  }
  return mapped;
}

Value batch_filter(const Value& input, Arguments& arguments, Budget& budget) {
  const std::int64_t size = arguments.whole(0, "linecount", 0);
  if (size < 1) fail("The filter 'batch' needs a count of at least 1.");
  const Value* fill = arguments.get(1, "fill_with");
  List batches, batch;
  for (const Value& item : items_of(input, budget)) {
    batch.push_back(item);
    if (static_cast<std::int64_t>(batch.size()) == size) batches.emplace_back(std::exchange(batch, {}));
  }
  if (batch.empty()) return batches;
  if (fill != nullptr) {
    budget.bytes(static_cast<std::uint64_t>(std::min<std::int64_t>(size, INT32_MAX)) * sizeof(Value));
    batch.resize(static_cast<std::size_t>(size), *fill);
  }
  batches.emplace_back(std::move(batch));
  return batches;
}

constexpr std::pair<std::string_view, Filter> filters[] = {
    {"list", list_filter},
    {"first", first_filter},
    {"last", last_filter},
    {"reverse", reverse_filter},
    {"join", join_filter},
    {"sort", sort_filter},
    {"dictsort", dictsort_filter},
    {"groupby", groupby_filter},
    {"min", extreme_filter<-1>},
    {"max", extreme_filter<1>},
    {"sum", sum_filter},
    {"unique", unique_filter},
    {"select", select_filter<true, false>},
    {"reject", select_filter<false, false>},
    {"selectattr", select_filter<true, true>},
    {"rejectattr", select_filter<false, true>},
    {"map", map_filter},
    {"batch", batch_filter},
};

}  // namespace

bool apply_list_filter(std::string_view name, const Value& input, Arguments& arguments, Budget& budget, Value& result) {
  for (const auto& [known, filter] : filters) {
    if (known != name) continue;
    result = filter(input, arguments, budget);
    return true;
  }
  return false;
}

}  // namespace driftwood::jinja
