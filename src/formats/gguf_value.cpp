#include "formats/gguf_value.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "formats/quote.h"
#include "tensor/block_bytes.h"

namespace driftwood {
namespace {

// Real files nest arrays twice at most; the limit keeps a hostile one from using up the stack.
constexpr int deepest_array = 4;

struct TypeFacts {
  std::string_view name;
  std::uint64_t smallest;  // bytes that a value takes at least
};
constexpr std::array<TypeFacts, 13> types = {{{"u8", 1},
                                              {"i8", 1},
                                              {"u16", 2},
                                              {"i16", 2},
                                              {"u32", 4},
                                              {"i32", 4},
                                              {"f32", 4},
                                              {"bool", 1},
                                              {"string", 8},
                                              {"array", 12},
                                              {"u64", 8},
                                              {"i64", 8},
                                              {"f64", 8}}};
static_assert(types.size() == std::variant_size_v<GgufValue>);

GgufType read_type(ByteCursor& cursor, std::string_view what) {
  const auto id = cursor.read<std::uint32_t>(what);
  if (id >= types.size()) {
    throw InvalidInput(fmt::format("The type id {} of {} is unknown; GGUF has 0 to {}.", id, what, types.size() - 1));
  }
  return static_cast<GgufType>(id);
}

void check_bool(std::byte value, std::string_view what) {
  if (byte_at(&value) > 1) {
    throw InvalidInput(fmt::format("The boolean {} in {} must be 0 or 1.", byte_at(&value), what));
  }
}

GgufArray read_array(ByteCursor& cursor, std::string_view what, int depth) {
  if (depth > deepest_array) {
    throw InvalidInput(fmt::format("The arrays of {} nest more than {} deep.", what, deepest_array));
  }
  const GgufType type = read_type(cursor, what);
  const std::uint64_t smallest = types[static_cast<std::size_t>(type)].smallest;
  const std::uint64_t count = cursor.read_count(smallest, fmt::format("elements in {}", what));
  const std::size_t start = cursor.position();
  if (type == GgufType::String) {
    for (std::uint64_t i = 0; i < count; ++i) cursor.read_string(what);
  } else if (type == GgufType::Array) {
    for (std::uint64_t i = 0; i < count; ++i) read_array(cursor, what, depth + 1);
  } else {
    const auto elements = cursor.take(count * smallest, what);
    if (type == GgufType::Bool) {
      for (const std::byte element : elements) check_bool(element, what);
    }
  }
  return {type, count, cursor.since(start)};
}

[[noreturn]] void refuse_elements(const GgufArray& array, std::string_view expected) {
  throw InvalidInput(
      fmt::format("The elements of an array are {}, but {} are expected.", to_string(array.element_type()), expected));
}

template <typename Number, typename Result>
std::vector<Result> numbers(const GgufArray& array) {
  std::vector<Result> result(array.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto number = number_at<Number>(array.bytes().data() + i * sizeof(Number));
    if constexpr (std::is_integral_v<Number>) {
      if (!std::in_range<Result>(number))
        throw InvalidInput(fmt::format("The element {} does not fit 63 bits.", number));
    }
    result[i] = static_cast<Result>(number);
  }
  return result;
}

std::string describe_array(const GgufArray& array, std::size_t shown) {
  const std::size_t count = array.size() < shown ? static_cast<std::size_t>(array.size()) : shown;
  ByteCursor cursor(array.bytes());
  std::string text = fmt::format("{} x {} [", array.size(), to_string(array.element_type()));
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    if (array.element_type() == GgufType::Array) {
      text += describe(read_array(cursor, "an array", 1), shown);
    } else {
      text += describe(read_gguf_value_of(array.element_type(), cursor, "an array"), shown);
    }
  }
  return text + (count < array.size() ? ", ...]" : "]");
}

}  // namespace

std::string_view to_string(GgufType type) { return types.at(static_cast<std::size_t>(type)).name; }

std::vector<std::string_view> GgufArray::strings() const {
  if (element_type_ != GgufType::String) refuse_elements(*this, "strings");
  std::vector<std::string_view> result(size_);
  ByteCursor cursor(bytes_);
  for (std::string_view& text : result) text = cursor.read_string("a string");
  return result;
}

std::vector<std::int64_t> GgufArray::integers() const {
  switch (element_type_) {
    case GgufType::U8: return numbers<std::uint8_t, std::int64_t>(*this);
    case GgufType::I8: return numbers<std::int8_t, std::int64_t>(*this);
    case GgufType::U16: return numbers<std::uint16_t, std::int64_t>(*this);
    case GgufType::I16: return numbers<std::int16_t, std::int64_t>(*this);
    case GgufType::U32: return numbers<std::uint32_t, std::int64_t>(*this);
    case GgufType::I32: return numbers<std::int32_t, std::int64_t>(*this);
    case GgufType::U64: return numbers<std::uint64_t, std::int64_t>(*this);
    case GgufType::I64: return numbers<std::int64_t, std::int64_t>(*this);
    default: refuse_elements(*this, "integers");
  }
}

std::vector<float> GgufArray::floats() const {
  switch (element_type_) {
    case GgufType::F32: return numbers<float, float>(*this);
    case GgufType::F64: return numbers<double, float>(*this);
    default: refuse_elements(*this, "floats");
  }
}

std::vector<GgufArray> GgufArray::arrays() const {
  if (element_type_ != GgufType::Array) refuse_elements(*this, "arrays");
  std::vector<GgufArray> result;
  ByteCursor cursor(bytes_);
  for (std::uint64_t i = 0; i < size_; ++i) result.push_back(read_array(cursor, "an array", 1));
  return result;
}

std::string describe(const GgufValue& value, std::size_t shown) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return quote_name(*text);
  if (const auto* array = std::get_if<GgufArray>(&value)) return describe_array(*array, shown);
  return std::visit(
      [](const auto& number) -> std::string {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(number)>>) return fmt::format("{}", number);
        return {};
      },
      value);
}

GgufValue read_gguf_value(ByteCursor& cursor, std::string_view what) {
  return read_gguf_value_of(read_type(cursor, what), cursor, what);
}

GgufValue read_gguf_value_of(GgufType type, ByteCursor& cursor, std::string_view what) {
  switch (type) {
    case GgufType::U8: return cursor.read<std::uint8_t>(what);
    case GgufType::I8: return cursor.read<std::int8_t>(what);
    case GgufType::U16: return cursor.read<std::uint16_t>(what);
    case GgufType::I16: return cursor.read<std::int16_t>(what);
    case GgufType::U32: return cursor.read<std::uint32_t>(what);
    case GgufType::I32: return cursor.read<std::int32_t>(what);
    case GgufType::F32: return cursor.read<float>(what);
    case GgufType::Bool: {
      const std::byte value = cursor.take(1, what)[0];
      check_bool(value, what);
      return byte_at(&value) == 1;
    }
    case GgufType::String: return cursor.read_string(what);
    case GgufType::Array: return read_array(cursor, what, 1);
    case GgufType::U64: return cursor.read<std::uint64_t>(what);
    case GgufType::I64: return cursor.read<std::int64_t>(what);
    case GgufType::F64: return cursor.read<double>(what);
  }
  throw InternalError("A GGUF value type has no reader.");
}

}  // namespace driftwood
