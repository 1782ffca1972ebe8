#include "formats/gguf_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "formats/gguf_type_ids.h"
#include "formats/quote.h"
#include "formats/stored_tensor.h"

namespace driftwood {
namespace {

constexpr std::size_t longest_key = 65535;
constexpr std::size_t longest_name = 63;  // what fits the 64 bytes of ggml, with their zero
constexpr std::size_t most_dims = 4;
constexpr std::string_view alignment_key = "general.alignment";
constexpr std::uint32_t smallest_alignment = 8, largest_alignment = 65536;  // as the reader has them
constexpr std::size_t header_bytes = 4 + 4 + 8 + 8;

using Bytes = std::vector<std::byte>;

void append(Bytes& out, std::span<const std::byte> bytes) {
  const std::size_t size = out.size();
  out.resize(size + bytes.size());
  std::ranges::copy(bytes, out.begin() + static_cast<std::ptrdiff_t>(size));
}

template <class Number>
requires std::is_arithmetic_v<Number>
void append(Bytes& out, Number number) { append(out, std::as_bytes(std::span(&number, 1))); }

void append(Bytes& out, std::string_view text) {
  append(out, std::uint64_t{text.size()});
  append(out, std::as_bytes(std::span(text)));
}

void append_array(Bytes& out, GgufType type, std::uint64_t count) {
  append(out, static_cast<std::uint32_t>(GgufType::Array));
  append(out, static_cast<std::uint32_t>(type));
  append(out, count);
}

Bytes encoded(const GgufValue& value) {
  Bytes out;
  if (const auto* array = std::get_if<GgufArray>(&value)) {
    append_array(out, array->element_type(), array->size());
    append(out, array->bytes());
    return out;
  }
  append(out, static_cast<std::uint32_t>(type_of(value)));
  std::visit(
      [&](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, bool>) {
          append(out, static_cast<std::uint8_t>(held));
        } else if constexpr (!std::is_same_v<T, GgufArray>) {
          append(out, held);
        }
      },
      value);
  return out;
}

}  // namespace

GgufWriter::GgufWriter(std::filesystem::path path) : path_(std::move(path)) {}

GgufWriter::~GgufWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  if (replaces_) std::filesystem::remove(target_, ignored);
}

void GgufWriter::add_entry(std::string_view key, std::span<const std::byte> type_and_value) {
  if (file_ != nullptr) throw InternalError("Metadata are added to a file that has begun.");
  if (key.empty() || key.size() > longest_key) {
    throw InvalidInput(fmt::format("The metadata key {} has {} bytes; 1 to {} are allowed.", quote_name(key),
                                   key.size(), longest_key));
  }
  if (!keys_.emplace(key).second) throw InvalidInput(fmt::format("The key {} is written twice.", quote_name(key)));
  append(metadata_, key);
  append(metadata_, type_and_value);
}

void GgufWriter::add(std::string_view key, const GgufValue& value) {
  const Bytes bytes = encoded(value);
  // Whoever reads the file must be able to: an array that claims more or less than it has would shift all that follows.
  const std::string what = fmt::format("the value of the key {}", quote_name(key));
  ByteCursor cursor(bytes);
  read_gguf_value(cursor, what);
  if (cursor.remaining() != 0) {
    throw InvalidInput(fmt::format("The array under the key {} has {} bytes more than its {} elements take.",
                                   quote_name(key), cursor.remaining(), std::get<GgufArray>(value).size()));
  }
  if (key == alignment_key) {
    const auto* alignment = std::get_if<std::uint32_t>(&value);
    if (has_tensors_) throw InternalError("The alignment is set after the first tensor.");
    if (alignment == nullptr || !std::has_single_bit(*alignment) || *alignment < smallest_alignment ||
        *alignment > largest_alignment) {
      throw InvalidInput(fmt::format("The metadata key {} is {}, but must be a u32, a power of two between {} and {}.",
                                     quote_name(key), describe(value), smallest_alignment, largest_alignment));
    }
    alignment_ = *alignment;
  }
  add_entry(key, bytes);
}

void GgufWriter::add_strings(std::string_view key, std::span<const std::string> values) {
  Bytes bytes;
  append_array(bytes, GgufType::String, values.size());
  for (const std::string& value : values) append(bytes, std::string_view(value));
  add_entry(key, bytes);
}

void GgufWriter::add_integers(std::string_view key, std::span<const std::int32_t> values) {
  Bytes bytes;
  append_array(bytes, GgufType::I32, values.size());
  append(bytes, std::as_bytes(values));
  add_entry(key, bytes);
}

void GgufWriter::add_floats(std::string_view key, std::span<const float> values) {
  Bytes bytes;
  append_array(bytes, GgufType::F32, values.size());
  append(bytes, std::as_bytes(values));
  add_entry(key, bytes);
}

void GgufWriter::add_tensor(std::string_view name, DataType type, std::span<const std::uint64_t> dims) {
  if (file_ != nullptr) throw InternalError("A tensor is added to a file that has begun.");
  if (name.empty() || name.size() > longest_name) {
    throw InvalidInput(fmt::format("The tensor name {} has {} bytes; 1 to {} are allowed.", quote_name(name),
                                   name.size(), longest_name));
  }
  if (!names_.emplace(name).second)
    throw InvalidInput(fmt::format("The tensor {} is written twice.", quote_name(name)));
  if (dims.size() > most_dims) {
    throw InvalidInput(fmt::format("The tensor {} has {} dimensions; at most {} are allowed.", quote_name(name),
                                   dims.size(), most_dims));
  }
  const std::optional<std::uint32_t> id = gguf_type_id(type);
  if (!id) {
    throw InvalidInput(
        fmt::format("The tensor {} has the type {}, which GGUF files cannot hold.", quote_name(name), to_string(type)));
  }
  const std::uint64_t bytes = stored_bytes(name, type, dims);
  const auto end = checked_add(round_up(data_bytes_, alignment_), bytes);
  if (bytes == 0 || !end || *end > (std::uint64_t{1} << 62)) {
    throw InvalidInput(fmt::format("The tensor {} with the extents {} is empty or too large for a file.",
                                   quote_name(name), describe_dims(dims)));
  }
  has_tensors_ = true;
  const std::uint64_t offset = round_up(data_bytes_, alignment_);
  append(table_, name);
  append(table_, static_cast<std::uint32_t>(dims.size()));
  for (const std::uint64_t extent : dims) append(table_, extent);
  append(table_, *id);
  append(table_, offset);
  tensors_.push_back({std::string(name), offset, bytes});
  data_bytes_ = offset + bytes;
}

std::uint64_t GgufWriter::file_bytes() const {
  return round_up(header_bytes + metadata_.size() + table_.size(), alignment_) + round_up(data_bytes_, alignment_);
}

void GgufWriter::fail(int reason) {
  throw InvalidInput(fmt::format("The file '{}' cannot be written: {}.", path_.string(), std::strerror(reason)));
}

void GgufWriter::write_raw(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(errno);
  written_ += bytes.size();
}

void GgufWriter::pad() {
  const std::vector<std::byte> zeroes(round_up(written_, alignment_) - written_);
  write_raw(zeroes);
}

void GgufWriter::begin() {
  if (file_ != nullptr) throw InternalError("A file is begun twice.");
  // Renaming replaces whatever is at the path, which must not happen to a device such as /dev/null or a pipe.
  std::error_code ignored;
  const std::filesystem::file_status old = std::filesystem::status(path_, ignored);
  replaces_ = !std::filesystem::exists(old) || std::filesystem::is_regular_file(old);
  target_ = path_;
  if (replaces_) target_ += fmt::format(".{}.partial", ::getpid());
  file_ = std::fopen(target_.c_str(), "wb");
  if (file_ == nullptr) fail(errno);
  Bytes header;
  append(header, std::as_bytes(std::span(std::string_view("GGUF"))));
  append(header, std::uint32_t{3});
  append(header, std::uint64_t{tensors_.size()});
  append(header, std::uint64_t{keys_.size()});
  write_raw(header);
  write_raw(metadata_);
  write_raw(table_);
  pad();
}

void GgufWriter::write(std::span<const std::byte> bytes) {
  if (file_ == nullptr) throw InternalError("Data are written to a file that has not begun.");
  if (bytes.empty()) return;
  if (current_ >= tensors_.size() || bytes.size() > tensors_[current_].bytes - current_written_) {
    throw InternalError(fmt::format(
        "{} bytes are written, but {} remain of the tensor {}.", bytes.size(),
        current_ < tensors_.size() ? tensors_[current_].bytes - current_written_ : 0,
        current_ < tensors_.size() ? quote_name(tensors_[current_].name) : std::string("after the last one")));
  }
  write_raw(bytes);
  current_written_ += bytes.size();
  if (current_written_ < tensors_[current_].bytes) return;
  pad();
  ++current_;
  current_written_ = 0;
}

void GgufWriter::finish() {
  if (file_ == nullptr || current_ < tensors_.size()) {
    throw InternalError(
        fmt::format("The file '{}' ends before the data of {} tensors.", path_.string(), tensors_.size() - current_));
  }
  std::FILE* const file = std::exchange(file_, nullptr);
  // What the system has buffered fails here at the latest.
  const bool is_complete = std::fflush(file) == 0 && (!replaces_ || ::fsync(::fileno(file)) == 0);
  int reason = errno;
  const bool is_closed = std::fclose(file) == 0;
  if (is_complete && !is_closed) reason = errno;
  if (is_complete && is_closed) {
    if (!replaces_ || std::rename(target_.c_str(), path_.c_str()) == 0) return;
    reason = errno;
  }
  std::error_code ignored;
  if (replaces_) std::filesystem::remove(target_, ignored);
  fail(reason);
}

}  // namespace driftwood
