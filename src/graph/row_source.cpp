#include "graph/row_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "graph/operations/conv2d.h"
#include "tensor/packed_weights.h"

namespace driftwood::graph {

namespace {

std::uint64_t bytes_of_row(DataType format, std::uint32_t columns) {
  return source_row_bytes({.format = format, .rows = 1, .columns = columns});
}

// [channels][taps] to [taps][channels, padded]: `Element` is the bits of a value.
template <class Element>
void order_by_taps(const WeightsSource& source, std::span<const std::byte> from, std::span<std::byte> to) {
  const std::size_t taps = source.taps, channels = source.channels, padded = source.columns / source.taps;
  const std::size_t rows = from.size() / (taps * channels * sizeof(Element));
  for (std::size_t row = 0; row < rows; ++row) {
    const std::byte* const stored = from.data() + row * taps * channels * sizeof(Element);
    std::byte* const ordered = to.data() + row * taps * padded * sizeof(Element);
    for (std::size_t tap = 0; tap < taps; ++tap) {
      for (std::size_t c = 0; c < channels; ++c) {
        std::memcpy(ordered + (tap * padded + c) * sizeof(Element), stored + (c * taps + tap) * sizeof(Element),
                    sizeof(Element));
      }
    }
  }
}

}  // namespace

RowSource::RowSource(const WeightsProvider& provider, const WeightsSource& source)
    : provider_(provider), source_(source), row_bytes_(bytes_of_row(source.format, source.columns)) {
  stored_row_bytes_ = row_bytes_;
  if (source.taps == 1) {
    if (source.stored_columns == 0) return;
    if (std::uint64_t{source.first_column} + source.columns > source.stored_columns ||
        info(source.format).block_length != 1) {
      throw InternalError(
          fmt::format("Columns up to {} of {} are taken of the weights '{}'; those of {} are cut within "
                      "the columns and between values alone.",
                      std::uint64_t{source.first_column} + source.columns, source.stored_columns, source.key(),
                      to_string(source.format)));
    }
    stored_row_bytes_ = bytes_of_row(source.format, source.stored_columns);
    return;
  }
  if (info(source.format).block_length != 1) {
    throw Unsupported(
        fmt::format("The weights '{}' of a convolution of {} taps are {} blocks of {} values; convolutions "
                    "take f32, f16 and bf16.",
                    source.key(), source.taps, to_string(source.format), info(source.format).block_length));
  }
  if (convolution_columns(source.taps, source.channels) != source.columns) {
    throw InternalError(fmt::format("The weights '{}' have {} columns, but {} taps of {} channels make {}.",
                                    source.key(), source.columns, source.taps, source.channels,
                                    convolution_columns(source.taps, source.channels)));
  }
  stored_row_bytes_ = bytes_of_row(source.format, source.taps * source.channels);
}

std::span<const std::byte> RowSource::rows(std::uint32_t first, std::uint32_t count) {
  const std::span<const std::byte> stored = stored_rows(first, count);
  if (source_.taps == 1 && stored_row_bytes_ == row_bytes_) return stored;
  if (source_.taps == 1) {
    ordered_.resize(count * row_bytes_);
    const std::uint64_t begin = std::uint64_t{source_.first_column} * info(source_.format).block_bytes;
    for (std::size_t row = 0; row < count; ++row) {
      std::ranges::copy(stored.subspan(row * stored_row_bytes_ + begin, row_bytes_),
                        ordered_.begin() + static_cast<std::ptrdiff_t>(row * row_bytes_));
    }
    return ordered_;
  }
  ordered_.assign(count * row_bytes_, std::byte{});
  if (info(source_.format).block_bytes == 4) {
    order_by_taps<std::uint32_t>(source_, stored, ordered_);
  } else {
    order_by_taps<std::uint16_t>(source_, stored, ordered_);
  }
  return ordered_;
}

std::span<const std::byte> RowSource::stored_rows(std::uint32_t first, std::uint32_t count) {
  if (count == 0) return {};
  advance_to(first);
  if (first + count <= block_begin_ + source_.blocks[block_].rows) return part(first, count);
  joined_.clear();
  for (std::uint32_t row = first; row < first + count;) {
    advance_to(row);
    const std::uint32_t end = std::min(first + count, block_begin_ + source_.blocks[block_].rows);
    const std::span<const std::byte> bytes = part(row, end - row);
    joined_.insert(joined_.end(), bytes.begin(), bytes.end());
    row = end;
  }
  return joined_;
}

void RowSource::advance_to(std::uint32_t row) {
  while (row >= block_begin_ + source_.blocks[block_].rows) {
    block_begin_ += source_.blocks[block_].rows;
    ++block_;
    fetched_ = false;
  }
  if (fetched_) return;
  const WeightsBlock& block = source_.blocks[block_];
  bytes_ = provider_(block.name);
  const std::uint64_t end = std::uint64_t{block.first_row} + block.rows;
  const std::uint64_t stored = block.stored_rows == 0 ? end : block.stored_rows;
  if (stored < end) {
    throw InternalError(
        fmt::format("Rows up to {} are taken of the matrix '{}', which holds {}.", end, block.name, stored));
  }
  if (bytes_.size() != stored * stored_row_bytes_) {
    const std::string columns = source_.taps == 1 ? fmt::format("{}", std::max(source_.columns, source_.stored_columns))
                                                  : fmt::format("{} x {}", source_.channels, source_.taps);
    throw InvalidInput(fmt::format("The matrix '{}' holds {} bytes, but {} rows of {} {} values take {}.", block.name,
                                   bytes_.size(), stored, columns, to_string(source_.format),
                                   stored * stored_row_bytes_));
  }
  fetched_ = true;
}

std::span<const std::byte> RowSource::part(std::uint32_t row, std::uint32_t count) const {
  const std::uint64_t begin = row - block_begin_ + source_.blocks[block_].first_row;
  return bytes_.subspan(begin * stored_row_bytes_, count * stored_row_bytes_);
}

}  // namespace driftwood::graph
