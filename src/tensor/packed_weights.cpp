#include "tensor/packed_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "tensor/packed_units.h"

namespace driftwood {
namespace {

constexpr std::uint64_t max_words = std::uint64_t{1} << 32;

// The units that a row's inner loop handles before it moves on to the next row: enough for a few cache lines of the
// source, few enough that the interleaved words of a whole row group stay in the first-level cache.
constexpr std::uint32_t tile_bytes = 512;

template <class Unit, std::size_t... I>
void gather(const std::byte* source, std::byte* unit, std::index_sequence<I...>) {
  constexpr auto target = [](std::size_t segment) {
    std::size_t offset = 0;
    for (std::size_t k = 0; k < segment; ++k) offset += Unit::segments[k].length;
    return offset;
  };
  (std::memcpy(unit + target(I),
               source + std::size_t{Unit::segments[I].block} * Unit::format.block_bytes + Unit::segments[I].offset,
               Unit::segments[I].length),
   ...);
}

template <class Unit, std::size_t... I>
void scatter(const std::byte* unit, std::byte* source, std::index_sequence<I...>) {
  std::size_t offset = 0;
  const auto copy = [&](const PackedSegment& segment) {
    std::memcpy(source + std::size_t{segment.block} * Unit::format.block_bytes + segment.offset, unit + offset,
                segment.length);
    offset += segment.length;
  };
  (copy(Unit::segments[I]), ...);
}

// Where the words of a row lie in a unit of its group.
class Places {
 public:
  Places(const WeightsDescriptor& descriptor, std::size_t words, std::size_t row)
      : group_(descriptor.row_group), run_(descriptor.word_run), lead_(words % run_), row_(row) {}

  std::size_t operator()(std::size_t k) const {
    if (k < lead_) return k * group_ + row_;
    const std::size_t beyond = k - lead_;
    return (lead_ + beyond / run_ * run_) * group_ + row_ * run_ + beyond % run_;
  }

 private:
  std::size_t group_, run_, lead_, row_;
};

// One unit of one row: from its source bytes to the row's places in the unit at `words`.
template <class Unit>
void pack_unit(const std::byte* source, std::byte* words, const Places& places) {
  constexpr std::size_t count = Unit::format.words_per_unit;
  std::array<std::byte, count * 4> unit;
  gather<Unit>(source, unit.data(), std::make_index_sequence<Unit::segments.size()>());
  for (std::size_t k = 0; k < count; ++k) std::memcpy(words + places(k) * 4, unit.data() + k * 4, 4);
}

template <class Unit>
void unpack_unit(const std::byte* words, std::byte* source, const Places& places) {
  constexpr std::size_t count = Unit::format.words_per_unit;
  std::array<std::byte, count * 4> unit;
  for (std::size_t k = 0; k < count; ++k) std::memcpy(unit.data() + k * 4, words + places(k) * 4, 4);
  scatter<Unit>(unit.data(), source, std::make_index_sequence<Unit::segments.size()>());
}

// `rows` <= row_group rows of one group.
template <class Unit>
void pack_group(const WeightsDescriptor& descriptor, std::size_t rows, const std::byte* source, std::byte* out) {
  constexpr std::size_t unit_bytes = Unit::format.unit_source_bytes();
  constexpr std::size_t tile_units = std::max<std::size_t>(1, tile_bytes / unit_bytes);
  const std::size_t row_group = descriptor.row_group;
  const std::size_t row_bytes = source_row_bytes(descriptor);
  constexpr std::size_t header = Unit::format.words_per_row * 4;
  const std::size_t whole_units = (row_bytes - header) / unit_bytes;
  const std::size_t unit_stride = std::size_t{Unit::format.words_per_unit} * row_group * 4;
  const std::size_t rest = (row_bytes - header) % unit_bytes;

  if (rows < row_group) std::memset(out, 0, words_per_row(descriptor) * row_group * 4);
  if constexpr (header > 0) {
    std::byte* const scales = out + units_per_row(descriptor) * unit_stride;
    for (std::size_t r = 0; r < rows; ++r) std::memcpy(scales + r * header, source + r * row_bytes, header);
    source += header;
  }
  for (std::size_t tile = 0; tile < whole_units; tile += tile_units) {
    const std::size_t end = std::min(tile + tile_units, whole_units);
    for (std::size_t r = 0; r < rows; ++r) {
      const Places places(descriptor, Unit::format.words_per_unit, r);
      for (std::size_t u = tile; u < end; ++u) {
        pack_unit<Unit>(source + r * row_bytes + u * unit_bytes, out + u * unit_stride, places);
      }
    }
  }
  if (rest == 0) return;
  for (std::size_t r = 0; r < rows; ++r) {
    std::array<std::byte, unit_bytes> padded = {};
    std::memcpy(padded.data(), source + r * row_bytes + whole_units * unit_bytes, rest);
    pack_unit<Unit>(padded.data(), out + whole_units * unit_stride, Places(descriptor, Unit::format.words_per_unit, r));
  }
}

// Row number `r` of the group whose words begin at `words`.
template <class Unit>
void unpack_row(const WeightsDescriptor& descriptor, const std::byte* words, std::size_t r, std::byte* row) {
  const Places places(descriptor, Unit::format.words_per_unit, r);
  constexpr std::size_t unit_bytes = Unit::format.unit_source_bytes();
  const std::size_t row_bytes = source_row_bytes(descriptor);
  constexpr std::size_t header = Unit::format.words_per_row * 4;
  for (std::size_t begin = header; begin < row_bytes; begin += unit_bytes) {
    std::array<std::byte, unit_bytes> unit = {};
    unpack_unit<Unit>(words, unit.data(), places);
    std::memcpy(row + begin, unit.data(), std::min(unit_bytes, row_bytes - begin));
    words += std::size_t{Unit::format.words_per_unit} * descriptor.row_group * 4;
  }
  if constexpr (header > 0) std::memcpy(row, words + r * header, header);
}

using PackGroup = void (*)(const WeightsDescriptor&, std::size_t rows, const std::byte* source, std::byte* out);
using UnpackRow = void (*)(const WeightsDescriptor&, const std::byte* words, std::size_t r, std::byte* row);

template <class... Units>
struct Table {
  static constexpr std::array<PackedFormat, sizeof...(Units)> formats = {Units::format...};
  static constexpr std::array<PackGroup, sizeof...(Units)> pack = {&pack_group<Units>...};
  static constexpr std::array<UnpackRow, sizeof...(Units)> unpack = {&unpack_row<Units>...};
};
using Formats = Table<packed::F32, packed::F16, packed::BF16, packed::Q4_0, packed::Q4_1, packed::Q5_0, packed::Q5_1,
                      packed::Q8_0, packed::Q2_K, packed::Q3_K, packed::Q4_K, packed::Q5_K, packed::Q6_K, packed::Q8_K,
                      packed::IQ4_NL, packed::MXFP4, packed::I8C, packed::I4C>;

constexpr bool units_are_whole() {
  for (const PackedFormat& format : Formats::formats) {
    std::uint32_t bytes = 0;
    for (const PackedSegment& segment : format.segments) bytes += segment.length;
    if (bytes != format.words_per_unit * 4 || bytes != format.unit_source_bytes()) return false;
    if (format.words_per_row > 1) return false;
  }
  return true;
}
static_assert(units_are_whole(), "The segments of a unit hold each byte of its blocks once.");

std::size_t index_of(DataType type) {
  for (std::size_t i = 0; i < Formats::formats.size(); ++i) {
    if (Formats::formats[i].type == type) return i;
  }
  throw Unsupported(fmt::format("Weights of type {} cannot be packed for a device.", to_string(type)));
}

}  // namespace

const PackedFormat& packed_format(DataType type) { return Formats::formats[index_of(type)]; }

std::span<const PackedFormat> packed_formats() { return Formats::formats; }

std::uint32_t gpu_word_run(DataType type) {
  switch (type) {
    case DataType::Q4_0:
    case DataType::Q4_1:
    case DataType::Q8_0:
    case DataType::Q4_K:
    case DataType::Q5_K:
    case DataType::Q6_K:
    case DataType::I8C:
    case DataType::I4C: return 4;
    default: return 1;
  }
}

std::uint32_t units_per_row(const WeightsDescriptor& descriptor) {
  return static_cast<std::uint32_t>(divide_up(descriptor.columns, packed_format(descriptor.format).unit_values()));
}

std::uint64_t words_per_row(const WeightsDescriptor& descriptor) {
  const PackedFormat& format = packed_format(descriptor.format);
  return std::uint64_t{units_per_row(descriptor)} * format.words_per_unit + format.words_per_row;
}

std::uint64_t source_row_bytes(const WeightsDescriptor& descriptor) {
  return row_bytes(descriptor.format, descriptor.columns);
}

std::uint64_t packed_rows_size(const WeightsDescriptor& descriptor, std::uint32_t row_count) {
  if (descriptor.rows == 0 || descriptor.columns == 0 || descriptor.row_group == 0 || descriptor.word_run == 0) {
    throw InvalidInput(
        fmt::format("Packed weights of {} rows, {} columns, row groups of {} and runs of {} words do "
                    "not exist.",
                    descriptor.rows, descriptor.columns, descriptor.row_group, descriptor.word_run));
  }
  source_row_bytes(descriptor);
  const auto words = checked_multiply(round_up(row_count, descriptor.row_group), words_per_row(descriptor));
  if (!words || *words > max_words) {
    throw InvalidInput(
        fmt::format("Packed weights of {} x {} {} values exceed {} words, the reach of 32-bit addresses.",
                    descriptor.rows, descriptor.columns, to_string(descriptor.format), max_words));
  }
  return *words * 4;
}

std::uint64_t packed_size(const WeightsDescriptor& descriptor) { return packed_rows_size(descriptor, descriptor.rows); }

void pack_rows(const WeightsDescriptor& descriptor, std::uint32_t first_row, std::uint32_t row_count,
               std::span<const std::byte> source_rows, std::span<std::byte> out) {
  packed_size(descriptor);
  const std::uint64_t end = std::uint64_t{first_row} + row_count;
  if (end > descriptor.rows || first_row % descriptor.row_group != 0 ||
      (row_count % descriptor.row_group != 0 && end != descriptor.rows)) {
    throw InvalidInput(fmt::format("Rows {} to {} of {} are no whole row groups of {}.", first_row, end,
                                   descriptor.rows, descriptor.row_group));
  }
  const std::uint64_t row_bytes = source_row_bytes(descriptor);
  if (source_rows.size() != row_bytes * row_count || out.size() != packed_rows_size(descriptor, row_count)) {
    throw InvalidInput(fmt::format("{} rows take {} bytes and make {}, but there are {} and room for {}.", row_count,
                                   row_bytes * row_count, packed_rows_size(descriptor, row_count), source_rows.size(),
                                   out.size()));
  }
  const PackGroup pack = Formats::pack[index_of(descriptor.format)];
  const std::uint64_t group_bytes = packed_rows_size(descriptor, descriptor.row_group);
  std::byte* target = out.data();
  for (std::uint32_t row = 0; row < row_count; row += descriptor.row_group, target += group_bytes) {
    pack(descriptor, std::min(descriptor.row_group, row_count - row), source_rows.data() + row * row_bytes, target);
  }
}

std::vector<std::byte> unpack_rows(const WeightsDescriptor& descriptor, std::span<const std::byte> packed) {
  if (packed.size() != packed_size(descriptor)) {
    throw InvalidInput(
        fmt::format("The packed weights have {} bytes, but there are {}.", packed_size(descriptor), packed.size()));
  }
  const UnpackRow unpack = Formats::unpack[index_of(descriptor.format)];
  const std::uint64_t row_bytes = source_row_bytes(descriptor);
  const std::uint64_t group_bytes = packed_rows_size(descriptor, descriptor.row_group);
  std::vector<std::byte> rows(row_bytes * descriptor.rows);
  for (std::uint32_t r = 0; r < descriptor.rows; ++r) {
    unpack(descriptor, packed.data() + r / descriptor.row_group * group_bytes, r % descriptor.row_group,
           rows.data() + r * row_bytes);
  }
  return rows;
}

}  // namespace driftwood
