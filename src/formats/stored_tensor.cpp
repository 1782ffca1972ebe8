#include "formats/stored_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "formats/quote.h"

namespace driftwood {

std::uint64_t StoredTensor::size() const {
  return std::accumulate(dims.begin(), dims.end(), std::uint64_t{1}, std::multiplies<>());
}

std::string describe_dims(std::span<const std::uint64_t> dims) { return fmt::format("[{}]", fmt::join(dims, ", ")); }

std::uint64_t stored_bytes(std::string_view name, DataType type, std::span<const std::uint64_t> dims) {
  const DataTypeInfo& facts = info(type);
  const std::uint64_t row = dims.empty() ? 1 : dims[0];
  if (!holds_rows_of(type, row)) {
    throw InvalidInput(
        fmt::format("The tensor {} has rows of {} values, which is no multiple of the {} values of a {} block.",
                    quote_name(name), row, facts.block_length, facts.name));
  }
  // The bytes of a row times the other extents. A zero anywhere must not hide an overflow elsewhere, since later code
  // multiplies in other orders.
  bool empty = false;
  std::optional<std::uint64_t> values = 1;
  std::optional<std::uint64_t> bytes = facts.block_bytes + (dims.empty() ? facts.row_header : 0);
  for (std::size_t i = 0; i < dims.size() && values && bytes; ++i) {
    empty = empty || dims[i] == 0;
    const std::uint64_t extent = std::max<std::uint64_t>(dims[i], 1);
    values = checked_multiply(*values, extent);
    bytes = checked_multiply(*bytes, i == 0 ? divide_up(extent, facts.block_length) : extent);
    if (i == 0 && bytes) bytes = checked_add(*bytes, facts.row_header);
  }
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!values || !bytes || *values > largest || *bytes > largest) {
    throw InvalidInput(fmt::format("The extents {} of the tensor {} multiply to more than 2^63 - 1.",
                                   describe_dims(dims), quote_name(name)));
  }
  return empty ? 0 : *bytes;
}

void refuse_overlaps(std::span<const StoredTensor> tensors) {
  std::vector<const StoredTensor*> by_address;
  for (const StoredTensor& tensor : tensors) {
    if (!tensor.bytes.empty()) by_address.push_back(&tensor);
  }
  std::ranges::sort(by_address, {}, [](const StoredTensor* tensor) { return tensor->bytes.data(); });
  const auto clash = std::ranges::adjacent_find(by_address, [](const StoredTensor* first, const StoredTensor* second) {
    return first->bytes.data() + first->bytes.size() > second->bytes.data();
  });
  if (clash != by_address.end()) {
    throw InvalidInput(fmt::format("The data of the tensors {} and {} overlap.", quote_name(clash[0]->name),
                                   quote_name(clash[1]->name)));
  }
}

void release_pages(std::span<const MappedFile> files, const StoredTensor& tensor) {
  for (const MappedFile& file : files) {
    const std::byte* begin = file.bytes().data();
    if (tensor.bytes.data() >= begin && tensor.bytes.data() < begin + file.size()) file.release(tensor.bytes);
  }
}

TensorTable::TensorTable(std::vector<StoredTensor> tensors) : tensors_(std::move(tensors)), by_name_(tensors_.size()) {
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  const auto name_of = [this](std::uint32_t index) { return std::string_view(tensors_[index].name); };
  std::ranges::sort(by_name_, {}, name_of);
  if (!by_name_.empty() && name_of(by_name_.front()).empty()) {
    throw InvalidInput(fmt::format("The name of tensor {} is empty.", by_name_.front()));
  }
  const auto twice = std::ranges::adjacent_find(by_name_, {}, name_of);
  if (twice != by_name_.end()) {
    throw InvalidInput(fmt::format("The tensor {} occurs more than once.", quote_name(name_of(*twice))));
  }
}

const StoredTensor* TensorTable::find(std::string_view name) const {
  const auto name_of = [this](std::uint32_t index) { return std::string_view(tensors_[index].name); };
  const auto at = std::ranges::lower_bound(by_name_, name, {}, name_of);
  return at != by_name_.end() && name_of(*at) == name ? &tensors_[*at] : nullptr;
}

const StoredTensor& TensorTable::get(std::string_view name) const {
  const StoredTensor* tensor = find(name);
  if (tensor == nullptr) throw InvalidInput(fmt::format("The tensor {} is missing.", quote_name(name)));
  return *tensor;
}

const StoredTensor& TensorTable::get(std::string_view name, std::initializer_list<std::uint64_t> dims) const {
  const StoredTensor& tensor = get(name);
  if (!std::ranges::equal(tensor.dims, dims)) {
    throw InvalidInput(fmt::format("The tensor {} has the extents {}, but {} are expected.", quote_name(name),
                                   describe_dims(tensor.dims), describe_dims({dims.begin(), dims.size()})));
  }
  return tensor;
}

std::uint64_t TensorTable::total_bytes() const {
  std::uint64_t total = 0;
  for (const StoredTensor& tensor : tensors_) total += tensor.bytes.size();
  return total;
}

std::uint64_t TensorTable::total_values() const {
  std::uint64_t total = 0;
  for (const StoredTensor& tensor : tensors_) total += tensor.size();
  return total;
}

}  // namespace driftwood
