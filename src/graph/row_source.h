// Rows of a matrix that several named blocks of a file make up, fetched piece by piece in the order that kernels read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace driftwood::graph {

/// The bytes of a stored matrix (rows of blocks of its format, as the file holds them). Valid until the next call.
using WeightsProvider = std::function<std::span<const std::byte>(std::string_view name)>;

class RowSource {
 public:
  /// Throws Unsupported where the window of a convolution has several taps and the format holds several values a block.
  /// `provider` and `source` must live as long as this.
  RowSource(const WeightsProvider& provider, const WeightsSource& source);

  /// Bytes of rows [first, first + count) of source.columns values each; valid until the next call. `first` never
  /// falls. Throws InvalidInput where a block's bytes do not match its rows and columns.
  std::span<const std::byte> rows(std::uint32_t first, std::uint32_t count);

  /// Bytes of one row as rows() gives it.
  std::uint64_t row_bytes() const { return row_bytes_; }

 private:
  std::span<const std::byte> stored_rows(std::uint32_t first, std::uint32_t count);
  void advance_to(std::uint32_t row);
  std::span<const std::byte> part(std::uint32_t row, std::uint32_t count) const;

  const WeightsProvider& provider_;
  const WeightsSource& source_;
  std::uint64_t row_bytes_ = 0, stored_row_bytes_ = 0;
  std::span<const std::byte> bytes_;  // of the current block
  std::vector<std::byte> joined_;     // a piece across the border of two blocks
  std::vector<std::byte> ordered_;    // a piece in the order of the taps, or of some of the columns
  std::size_t block_ = 0;
  std::uint32_t block_begin_ = 0;
  bool fetched_ = false;
};

}  // namespace driftwood::graph
