#include "formats/gguf_type_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "formats/quote.h"

namespace driftwood {
namespace {

// Some of ggml's types were given up, some are formats that Driftwood does not decode.
enum class Standing { Read, Unread, Removed };
struct TypeId {
  std::uint32_t id;
  std::string_view name;
  Standing standing;
  DataType type = DataType::F32;
};
constexpr std::array<TypeId, 42> type_ids = {{
    {0, "F32", Standing::Read, DataType::F32},
    {1, "F16", Standing::Read, DataType::F16},
    {2, "Q4_0", Standing::Read, DataType::Q4_0},
    {3, "Q4_1", Standing::Read, DataType::Q4_1},
    {4, "Q4_2", Standing::Removed},
    {5, "Q4_3", Standing::Removed},
    {6, "Q5_0", Standing::Read, DataType::Q5_0},
    {7, "Q5_1", Standing::Read, DataType::Q5_1},
    {8, "Q8_0", Standing::Read, DataType::Q8_0},
    {9, "Q8_1", Standing::Unread},
    {10, "Q2_K", Standing::Read, DataType::Q2_K},
    {11, "Q3_K", Standing::Read, DataType::Q3_K},
    {12, "Q4_K", Standing::Read, DataType::Q4_K},
    {13, "Q5_K", Standing::Read, DataType::Q5_K},
    {14, "Q6_K", Standing::Read, DataType::Q6_K},
    {15, "Q8_K", Standing::Read, DataType::Q8_K},
    {16, "IQ2_XXS", Standing::Unread},
    {17, "IQ2_XS", Standing::Unread},
    {18, "IQ3_XXS", Standing::Unread},
    {19, "IQ1_S", Standing::Unread},
    {20, "IQ4_NL", Standing::Read, DataType::IQ4_NL},
    {21, "IQ3_S", Standing::Unread},
    {22, "IQ2_S", Standing::Unread},
    {23, "IQ4_XS", Standing::Unread},
    {24, "I8", Standing::Read, DataType::I8},
    {25, "I16", Standing::Read, DataType::I16},
    {26, "I32", Standing::Read, DataType::I32},
    {27, "I64", Standing::Read, DataType::I64},
    {28, "F64", Standing::Read, DataType::F64},
    {29, "IQ1_M", Standing::Unread},
    {30, "BF16", Standing::Read, DataType::BF16},
    {31, "Q4_0_4_4", Standing::Removed},
    {32, "Q4_0_4_8", Standing::Removed},
    {33, "Q4_0_8_8", Standing::Removed},
    {34, "TQ1_0", Standing::Unread},
    {35, "TQ2_0", Standing::Unread},
    {36, "IQ4_NL_4_4", Standing::Removed},
    {37, "IQ4_NL_4_8", Standing::Removed},
    {38, "IQ4_NL_8_8", Standing::Removed},
    {39, "MXFP4", Standing::Read, DataType::MXFP4},
    {40, "NVFP4", Standing::Unread},
    {41, "Q1_0", Standing::Unread},
}};

struct PrivateType {
  std::uint32_t id;
  DataType type;
};
constexpr std::array<PrivateType, 2> private_types = {{
    {first_private_gguf_type + 8, DataType::I8C},
    {first_private_gguf_type + 4, DataType::I4C},
}};

}  // namespace

DataType data_type_of_gguf(std::uint32_t id, std::string_view name) {
  const auto own = std::ranges::find(private_types, id, &PrivateType::id);
  if (own != private_types.end()) return own->type;
  const auto found = std::ranges::find(type_ids, id, &TypeId::id);
  if (found == type_ids.end()) {
    throw InvalidInput(fmt::format("The tensor {} has the unknown type id {}; the last known one is {}.",
                                   quote_name(name), id, type_ids.back().id));
  }
  if (found->standing == Standing::Removed) {
    throw InvalidInput(
        fmt::format("The tensor {} has the type id {} ({}), which was removed from the format; convert the "
                    "model anew.",
                    quote_name(name), id, found->name));
  }
  if (found->standing == Standing::Unread) {
    throw Unsupported(fmt::format("The tensor {} has the type {} (id {}), which is not supported.", quote_name(name),
                                  found->name, id));
  }
  return found->type;
}

std::optional<std::uint32_t> gguf_type_id(DataType type) {
  for (const TypeId& each : type_ids) {
    if (each.standing == Standing::Read && each.type == type) return each.id;
  }
  for (const PrivateType& each : private_types) {
    if (each.type == type) return each.id;
  }
  return std::nullopt;
}

bool is_public_gguf_type(DataType type) {
  const std::optional<std::uint32_t> id = gguf_type_id(type);
  return id && *id < first_private_gguf_type;
}

}  // namespace driftwood
