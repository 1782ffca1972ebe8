// Builds GGUF files in memory for tests, right ones and, byte by byte, wrong ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace driftwood::testing {

/// Bytes under construction, little-endian.
class Bytes {
 public:
  template <typename Number>
  Bytes& add(Number number) {
    const auto* begin = reinterpret_cast<const std::byte*>(&number);
    bytes_.insert(bytes_.end(), begin, begin + sizeof number);
    return *this;
  }
  Bytes& u32(std::uint32_t number) { return add(number); }
  Bytes& u64(std::uint64_t number) { return add(number); }
  Bytes& text(std::string_view characters) {
    const auto bytes = std::as_bytes(std::span(characters));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  /// A GGUF string: length and characters.
  Bytes& string(std::string_view characters) { return u64(characters.size()).text(characters); }
  Bytes& append(const Bytes& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    return *this;
  }
  Bytes& zeros(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }
  Bytes& pad_to(std::size_t alignment) { return zeros((alignment - bytes_.size() % alignment) % alignment); }

  std::size_t size() const { return bytes_.size(); }
  const std::vector<std::byte>& get() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// The metadata type ids of the file format.
enum : std::uint32_t {
  type_u8,
  type_i8,
  type_u16,
  type_i16,
  type_u32,
  type_i32,
  type_f32,
  type_bool,
  type_string,
  type_array,
  type_u64,
  type_i64,
  type_f64
};

/// A whole file. Fields have the values of a right file and may be set to wrong ones; counts follow from what was added
/// unless they are given.
class GgufBuilder {
 public:
  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::int64_t tensor_count = -1;
  std::int64_t metadata_count = -1;
  std::size_t alignment = 32;  // of the data; add general.alignment by hand to tell the reader

  template <typename Number>
  GgufBuilder& number(std::string_view key, std::uint32_t type, Number value) {
    return raw(key, Bytes().u32(type).add(value));
  }
  GgufBuilder& u32(std::string_view key, std::uint32_t value) { return number(key, type_u32, value); }
  GgufBuilder& f32(std::string_view key, float value) { return number(key, type_f32, value); }
  GgufBuilder& boolean(std::string_view key, bool value) {
    return number(key, type_bool, static_cast<std::uint8_t>(value));
  }
  GgufBuilder& string(std::string_view key, std::string_view value) {
    return raw(key, Bytes().u32(type_string).string(value));
  }
  GgufBuilder& strings(std::string_view key, const std::vector<std::string>& values) {
    Bytes bytes;
    bytes.u32(type_array).u32(type_string).u64(values.size());
    for (const std::string& value : values) bytes.string(value);
    return raw(key, bytes);
  }
  template <typename Number>
  GgufBuilder& numbers(std::string_view key, std::uint32_t type, const std::vector<Number>& values) {
    Bytes bytes;
    bytes.u32(type_array).u32(type).u64(values.size());
    for (const Number value : values) bytes.add(value);
    return raw(key, bytes);
  }
  /// A key with the given bytes as type id and value.
  GgufBuilder& raw(std::string_view key, const Bytes& type_and_value) {
    metadata_.string(key).append(type_and_value);
    ++metadata_entries_;
    return *this;
  }

  /// A tensor with its data, at the next aligned offset.
  GgufBuilder& tensor(std::string_view name, std::uint32_t type, const std::vector<std::uint64_t>& dims,
                      const std::vector<std::byte>& data) {
    data_.pad_to(alignment);
    entry(name, type, dims, data_.size());
    for (const std::byte byte : data) data_.add(byte);
    return *this;
  }
  GgufBuilder& f32_tensor(std::string_view name, const std::vector<std::uint64_t>& dims,
                          const std::vector<float>& data) {
    const auto bytes = std::as_bytes(std::span(data));
    return tensor(name, 0, dims, {bytes.begin(), bytes.end()});
  }
  /// An entry of the tensor table alone.
  GgufBuilder& entry(std::string_view name, std::uint32_t type, const std::vector<std::uint64_t>& dims,
                     std::uint64_t offset) {
    Bytes bytes;
    bytes.string(name).u32(static_cast<std::uint32_t>(dims.size()));
    for (const std::uint64_t extent : dims) bytes.u64(extent);
    return raw_entry(bytes.u32(type).u64(offset));
  }
  GgufBuilder& raw_entry(const Bytes& bytes) {
    table_.append(bytes);
    ++table_entries_;
    return *this;
  }
  /// Bytes of data that no tensor of tensor() has.
  GgufBuilder& data(std::size_t zeros) {
    data_.zeros(zeros);
    return *this;
  }

  std::vector<std::byte> build() const {
    Bytes file;
    file.text(magic).u32(version);
    file.u64(tensor_count < 0 ? table_entries_ : static_cast<std::uint64_t>(tensor_count));
    file.u64(metadata_count < 0 ? metadata_entries_ : static_cast<std::uint64_t>(metadata_count));
    file.append(metadata_).append(table_).pad_to(alignment).append(data_);
    return file.get();
  }

 private:
  Bytes metadata_, table_, data_;
  std::uint64_t metadata_entries_ = 0, table_entries_ = 0;
};

}  // namespace driftwood::testing
