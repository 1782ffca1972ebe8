// Writes a GGUF file (version 3) piece by piece: metadata and the table of tensors first, then the tensors' data in
// that order. No more than the header and one piece is ever in memory.
//
//   GgufWriter writer(path);
//   writer.add("general.architecture", std::string_view("llama"));
//   writer.add_strings("tokenizer.ggml.tokens", tokens);
//   writer.add_tensor("token_embd.weight", DataType::Q8_0, {576, 49152});
//   writer.begin();
//   for (...) writer.write(piece);
//   writer.finish();
//
// The file appears under its name when it is complete; before that, and where anything throws, it is a neighbour
// PATH.PID.partial, which the destructor removes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf_value.h"
#include "tensor/data_type.h"

namespace driftwood {

class GgufWriter {
 public:
  explicit GgufWriter(std::filesystem::path path);
  ~GgufWriter();
  GgufWriter(const GgufWriter&) = delete;
  GgufWriter& operator=(const GgufWriter&) = delete;

  /// A key with its value; strings and arrays are copied. "general.alignment" decides how tensors are aligned. Throws
  /// InvalidInput where the key is empty, longer than 65535 bytes or taken, or an array's bytes do not hold what it
  /// says.
  void add(std::string_view key, const GgufValue& value);
  void add_strings(std::string_view key, std::span<const std::string> values);
  void add_integers(std::string_view key, std::span<const std::int32_t> values);
  void add_floats(std::string_view key, std::span<const float> values);

  /// The next tensor; extents with the fastest-varying first, as StoredTensor has them. Throws InvalidInput where the
  /// name is empty, longer than 63 bytes or taken, there are more than four extents or an empty one, rows are no whole
  /// blocks, or GGUF has no number for the type.
  void add_tensor(std::string_view name, DataType type, std::span<const std::uint64_t> dims);

  /// Opens the file and writes all that comes before the data. Nothing can be added afterwards.
  void begin();
  /// The next bytes of the data, all of one tensor. Throws InvalidInput where they cannot be written (a full disk),
  /// InternalError where they are more than the tensor has.
  void write(std::span<const std::byte> bytes);
  /// Ends the file and gives it its name. Throws InternalError where data are missing.
  void finish();

  /// The size of the complete file.
  std::uint64_t file_bytes() const;

 private:
  struct Tensor {
    std::string name;
    std::uint64_t offset, bytes;
  };

  void add_entry(std::string_view key, std::span<const std::byte> type_and_value);
  void write_raw(std::span<const std::byte> bytes);
  void pad();
  [[noreturn]] void fail(int reason);

  std::filesystem::path path_, target_;
  bool replaces_ = false;  // target_ is renamed to path_ at the end
  std::FILE* file_ = nullptr;
  std::vector<std::byte> metadata_, table_;
  std::set<std::string, std::less<>> keys_, names_;
  std::vector<Tensor> tensors_;
  std::uint64_t data_bytes_ = 0;  // planned, padding included
  std::uint32_t alignment_ = 32;
  bool has_tensors_ = false;
  std::uint64_t written_ = 0;  // bytes of the file
  std::size_t current_ = 0;    // tensor being written
  std::uint64_t current_written_ = 0;
};

}  // namespace driftwood
