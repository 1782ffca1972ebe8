// Schemes of quantization: which type each tensor of a language model gets, and the GGUF file that comes of it.
//
//   const Scheme& scheme = *find_scheme("844");
//   const QuantizationReport report = quantize(source, "out.gguf", scheme, {.threads = 8});
//
// Tensors pass through in pieces of some megabytes: memory does not grow with the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf_writer.h"
#include "formats/stored_tensor.h"

namespace driftwood::models {

struct Scheme {
  std::string_view name;
  std::string_view description;
  DataType attention, feed_forward, embedding;  // of the matrices; the head is as the embedding
  std::optional<std::uint32_t> file_type = {};  // `general.file_type` of other readers, where they know it

  /// Whether any reader of GGUF may open what comes of it.
  bool is_public() const;
};

std::span<const Scheme> schemes();
/// Null where there is none of that name.
const Scheme* find_scheme(std::string_view name);
/// "q8, 844, q4_0, ..."
std::string scheme_names();

/// A tensor to be written.
struct SourceTensor {
  std::string name;  // in GGUF
  const StoredTensor* stored = nullptr;
  /// So many heads of outputs (rows, or the values of a bias) go from pairs in halves to pairs side by side; 0: none.
  std::uint32_t adjacent_heads = 0;
  float offset = 0;  // added to every value
};

/// Where a model comes from: a file that outlives this.
struct QuantizationSource {
  std::vector<SourceTensor> tensors;
  /// Writes all metadata but what the quantization itself decides.
  std::function<void(GgufWriter&)> add_metadata;
  /// Tensors that no file holds.
  std::vector<std::shared_ptr<const void>> owned = {};
  /// Lets the system drop pages that have been read.
  std::function<void(const StoredTensor&)> release;
};

/// The type that the scheme gives a tensor. Vectors become f32; matrices whose rows are no whole blocks of the scheme's
/// type get the next finer type that takes them. Throws Unsupported, naming the tensor, where its values are no floats.
DataType chosen_type(const Scheme& scheme, std::string_view name, const StoredTensor& tensor);
/// Whether chosen_type is another than the scheme names, for the sake of the tensor's rows.
bool falls_back(const Scheme& scheme, std::string_view name, const StoredTensor& tensor);

struct TypeTotals {
  std::uint64_t tensors = 0, values = 0, bytes = 0;
};

struct QuantizationReport {
  std::map<DataType, TypeTotals> before, after;
  std::vector<std::string> fallbacks;  // "blk.0.ffn_down.weight: f16", of tensors that the scheme's type cannot hold
  std::uint64_t requantized = 0;       // tensors that were quantized before and lose once more
  std::uint64_t file_bytes = 0;
};

struct QuantizationOptions {
  unsigned threads = 1;
  /// Called between pieces with the values done and all of them.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};
};

/// Writes the file; it appears when it is complete. Throws InvalidInput, naming tensor and row, where a value cannot be
/// quantized or the file not be written.
QuantizationReport quantize(const QuantizationSource& source, const std::filesystem::path& path, const Scheme& scheme,
                            const QuantizationOptions& options = {});

}  // namespace driftwood::models
