// embedding and select-token: a token becomes channels, and one of many tokens is kept.
#include <fmt/format.h>

#include "conformance/case.h"

namespace driftwood::conformance {
namespace {

void embedding(Draft& draft, std::uint32_t columns, Tail tail) {
  constexpr std::uint32_t vocabulary = 37;
  const Field table = draft.weights("table", vocabulary, columns);
  const graph::Tensor ids = draft.ids(vocabulary);
  draft.output(
      "y", draft.builder.embedding(ids, table.tensor),
      [&](const Index& at) {
        // A block's offset and multiple may cancel: their size is that of the row's largest value.
        const std::uint32_t row = draft.problem.ids[at.w];
        double largest = 0;
        for (std::uint32_t c = 0; c < columns; ++c) largest = std::max(largest, std::abs(table.at(row, c)));
        return Wanted{table.at(row, at.c), largest};
      },
      tail);
}

void select_token(Draft& draft, std::uint32_t channels, Tail tail) {
  draft.problem.arithmetic = no_arithmetic;
  const Field x = draft.input("x", {.w = draft.setting.max_tokens, .c = channels});
  draft.output(
      "y", draft.builder.select_token(x.tensor),
      [&](const Index& at) { return exactly(x.at(draft.setting.tokens - 1, at.c)); }, tail);
}

}  // namespace

std::vector<Case> token_cases() {
  std::vector<Case> cases;
  const auto add_embedding = [&](const Setting& setting, std::uint32_t columns, Tail tail, bool everywhere) {
    cases.push_back({.operation = "embedding",
                     .name = fmt::format("{} columns {}", columns, to_string(tail)),
                     .setting = setting,
                     .packed = "weights",
                     .make = [=](Draft& draft) { embedding(draft, columns, tail); },
                     .everywhere = everywhere});
  };
  for (const DataType format : formats) {
    const bool is_plain = info(format).block_length == 1;
    for (const std::uint32_t columns : is_plain ? std::vector<std::uint32_t>{1, 3, 5, 30, 66}
                                                : std::vector<std::uint32_t>{info(format).block_length * 3}) {
      const bool everywhere = format == DataType::F16 ? columns == 66
                                                      : format == DataType::Q4_0 || format == DataType::Q4_1 ||
                                                            format == DataType::Q8_0 || format == DataType::Q6_K;
      add_embedding({.packed = format, .max_tokens = 7, .tokens = 5}, columns, Tail::None, everywhere);
    }
  }
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      for (const DataType format : formats) {
        const std::uint32_t columns = std::max<std::uint32_t>(info(format).block_length, 32);
        const Setting setting{.storage = storage, .activation = type, .packed = format, .max_tokens = 4, .tokens = 3};
        add_embedding(setting, columns, Tail::SiluResidual, format == DataType::Q8_0 && type == DataType::F16);
      }
      for (const std::uint32_t channels : {1U, 3U, 5U, 30U, 66U, 300U}) {
        for (const std::uint32_t tokens : {1U, 4U, 8U}) {
          for (const Tail tail : {Tail::None, Tail::SiluResidual}) {
            cases.push_back({.operation = "select-token",
                             .name = fmt::format("{} channels {}", channels, to_string(tail)),
                             .setting = {.storage = storage, .activation = type, .max_tokens = 8, .tokens = tokens},
                             .packed = {},
                             .make = [=](Draft& draft) { select_token(draft, channels, tail); },
                             .everywhere = channels == 30 && tail != Tail::None && type == DataType::F16});
          }
        }
      }
    }
  }
  return cases;
}

}  // namespace driftwood::conformance
