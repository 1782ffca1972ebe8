#include "graph/resource_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "base/parallel.h"
#include "graph/lowering.h"
#include "tensor/pack.h"
#include "tensor/packed_weights.h"
#include "tensor/storage.h"

namespace driftwood::graph {
namespace {

// More would wait for memory.
constexpr unsigned most_packing_threads = 8;

}  // namespace

gpu::Binding ResourceStore::weights(const WeightsSource& source, const WeightsDescriptor& descriptor) {
  const std::string key =
      fmt::format("{} {} {} {}", source.key(), to_string(descriptor.format), descriptor.row_group, descriptor.word_run);
  if (const auto found = weights_.find(key); found != weights_.end()) return found->second;
  if (!provider_) {
    throw InvalidInput(fmt::format("The weights '{}' are needed, but no weights were given.", source.key()));
  }
  try {
    const std::uint64_t bytes = packed_size(descriptor);
    gpu::Binding binding{.memory = device_.allocate({.kind = StorageKind::Buffer, .bytes = bytes}), .size = bytes};
    // Pieces of about 4 MB a thread: the host holds one of them at a time. One thread packs 2 GB/s, a fraction of what
    // files and devices do.
    const unsigned threads = host_threads(most_packing_threads);
    const std::uint64_t piece_bytes = threads * (std::uint64_t{4} << 20);
    RowSource rows(provider_, source);
    const std::uint64_t group = descriptor.row_group;
    const auto piece =
        static_cast<std::uint32_t>(round_up(std::max<std::uint64_t>(piece_bytes / rows.row_bytes(), 1), group));
    std::vector<std::byte> packed;
    for (std::uint32_t first = 0; first < descriptor.rows; first += piece) {
      const std::uint32_t count = std::min(piece, descriptor.rows - first);
      packed.resize(packed_rows_size(descriptor, count));
      const std::span<const std::byte> source = rows.rows(first, count);
      share_out(divide_up(count, group), threads, [&](std::size_t begin, std::size_t end) {
        const auto from = static_cast<std::uint32_t>(begin * group);
        const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>(end * group, count)) - from;
        pack_rows(descriptor, first + from, part, source.subspan(from * rows.row_bytes(), part * rows.row_bytes()),
                  std::span(packed).subspan(packed_rows_size(descriptor, from), packed_rows_size(descriptor, part)));
      });
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
  const std::string stored = value.is_array
                                 ? fmt::format("{} {} in words", to_string(value.data_type), to_string(value.shape))
                                 : to_string(value.descriptor.value());
  if (const auto found = states_.find(value.name); found != states_.end()) {
    if (found->second.stored == stored) return found->second.binding;
    throw InvalidInput(fmt::format("The state '{}' is stored as {}, but another program wants it as {}.", value.name,
                                   found->second.stored, stored));
  }
  if (!value.is_array && value.descriptor->storage != StorageKind::Buffer) {
    throw Unsupported(fmt::format("The state '{}' is stored as {}; states are buffers.", value.name, stored));
  }
  const std::uint64_t bytes = physical_bytes(value);
  gpu::Binding binding{.memory = device_.allocate({.kind = StorageKind::Buffer, .bytes = bytes}), .size = bytes};
  state_bytes_ += bytes;
  states_.emplace(value.name, StateEntry{binding, stored});
  return binding;
}

}  // namespace driftwood::graph
