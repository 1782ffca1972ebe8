#include "graph/resource_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "graph/lowering.h"
#include "tensor/pack.h"
#include "tensor/packed_weights.h"
#include "tensor/storage.h"

namespace driftwood::graph {

namespace {

// Rows of a matrix that several named blocks make up, fetched piece by piece.
class RowSource {
 public:
  RowSource(const WeightsProvider& provider, const WeightsSource& source, std::uint64_t row_bytes)
      : provider_(provider), source_(source), row_bytes_(row_bytes) {}

  // Bytes of rows [first, first + count); valid until the next call. `first` never falls.
  std::span<const std::byte> rows(std::uint32_t first, std::uint32_t count) {
    if (count == 0) return {};
    advance_to(first);
    if (first + count <= block_begin_ + source_.blocks[block_].rows) return part(first, count);
    staging_.clear();  // a piece across the border of two blocks
    for (std::uint32_t row = first; row < first + count;) {
      advance_to(row);
      const std::uint32_t end = std::min(first + count, block_begin_ + source_.blocks[block_].rows);
      const std::span<const std::byte> bytes = part(row, end - row);
      staging_.insert(staging_.end(), bytes.begin(), bytes.end());
      row = end;
    }
    return staging_;
  }

 private:
  void advance_to(std::uint32_t row) {
    while (row >= block_begin_ + source_.blocks[block_].rows) {
      block_begin_ += source_.blocks[block_].rows;
      ++block_;
      fetched_ = false;
    }
    if (fetched_) return;
    const WeightsBlock& block = source_.blocks[block_];
    bytes_ = provider_(block.name);
    if (bytes_.size() != block.rows * row_bytes_) {
      throw InvalidInput(fmt::format("The matrix '{}' holds {} bytes, but {} rows of {} {} values take {}.", block.name,
                                     bytes_.size(), block.rows, source_.columns, to_string(source_.format),
                                     block.rows * row_bytes_));
    }
    fetched_ = true;
  }
  std::span<const std::byte> part(std::uint32_t row, std::uint32_t count) const {
    return bytes_.subspan((row - block_begin_) * row_bytes_, count * row_bytes_);
  }

  const WeightsProvider& provider_;
  const WeightsSource& source_;
  std::uint64_t row_bytes_;
  std::span<const std::byte> bytes_;
  std::vector<std::byte> staging_;
  std::size_t block_ = 0;
  std::uint32_t block_begin_ = 0;
  bool fetched_ = false;
};

}  // namespace

gpu::Binding ResourceStore::weights(const WeightsSource& source, const WeightsDescriptor& descriptor) {
  const std::string key = fmt::format("{} {} {}", source.key(), to_string(descriptor.format), descriptor.row_group);
  if (const auto found = weights_.find(key); found != weights_.end()) return found->second;
  if (!provider_) {
    throw InvalidInput(fmt::format("The weights '{}' are needed, but no weights were given.", source.key()));
  }
  try {
    const std::uint64_t bytes = packed_size(descriptor);
    gpu::Binding binding{.memory = device_.allocate({.kind = StorageKind::Buffer, .bytes = bytes}), .size = bytes};
    // Pieces of about 4 MB: the host holds one of them at a time.
    constexpr std::uint64_t piece_bytes = 4 << 20;
    const std::uint64_t row_bytes = source_row_bytes(descriptor);
    const std::uint64_t group = descriptor.row_group;
    const auto piece = static_cast<std::uint32_t>(round_up(std::max<std::uint64_t>(piece_bytes / row_bytes, 1), group));
    RowSource rows(provider_, source, row_bytes);
    std::vector<std::byte> packed;
    for (std::uint32_t first = 0; first < descriptor.rows; first += piece) {
      const std::uint32_t count = std::min(piece, descriptor.rows - first);
      packed.resize(packed_rows_size(descriptor, count));
      pack_rows(descriptor, first, count, rows.rows(first, count), packed);
      device_.write(*binding.memory, packed_rows_size(descriptor, first), packed);
    }
    weights_bytes_ += bytes;
    return weights_.emplace(key, std::move(binding)).first->second;
  } catch (Error& error) {
    error.add_context(fmt::format("While uploading the weights '{}'.", source.key()));
    throw;
  }
}

gpu::Binding ResourceStore::constant(const Value& value) {
  if (!value.constant || !value.descriptor) {
    throw InternalError(fmt::format("The constant '{}' has no data or no storage.", value.name));
  }
  const std::string key = fmt::format("{} {}", value.name, to_string(*value.descriptor));
  if (const auto found = constants_.find(key); found != constants_.end()) return found->second;
  const std::vector<std::vector<std::byte>> objects = pack(*value.descriptor, std::span<const float>(*value.constant));
  if (objects.size() != 1) throw InternalError(fmt::format("The constant '{}' is in several objects.", value.name));
  gpu::Binding binding{.memory = device_.allocate(physical_object(*value.descriptor)), .size = objects[0].size()};
  device_.write(*binding.memory, 0, objects[0]);
  constant_bytes_ += objects[0].size();
  return constants_.emplace(key, std::move(binding)).first->second;
}

gpu::Binding ResourceStore::state(const Value& value) {
  const TensorDescriptor& descriptor = value.descriptor.value();
  if (const auto found = states_.find(value.name); found != states_.end()) {
    if (found->second.descriptor == descriptor) return found->second.binding;
    throw InvalidInput(fmt::format("The state '{}' is stored as {}, but another program wants it as {}.", value.name,
                                   to_string(found->second.descriptor), to_string(descriptor)));
  }
  if (descriptor.storage != StorageKind::Buffer) {
    throw Unsupported(
        fmt::format("The state '{}' is stored as {}; states are buffers.", value.name, to_string(descriptor)));
  }
  const std::uint64_t bytes = physical_bytes(descriptor);
  gpu::Binding binding{.memory = device_.allocate({.kind = StorageKind::Buffer, .bytes = bytes}), .size = bytes};
  state_bytes_ += bytes;
  states_.emplace(value.name, StateEntry{binding, descriptor});
  return binding;
}

}  // namespace driftwood::graph
