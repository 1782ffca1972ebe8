#include "models/quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/checked.h"
#include "base/error.h"
#include "base/parallel.h"
#include "formats/gguf_type_ids.h"
#include "formats/quote.h"
#include "tensor/quantize.h"

namespace driftwood::models {
namespace {

constexpr Scheme single(DataType type, std::string_view name, std::string_view description, std::uint32_t file_type) {
  return {name, description, type, type, type, file_type};
}

// The numbers of general.file_type are ggml's llama_ftype.
constexpr std::array<Scheme, 15> table = {{
    {"q8", "8 bits, one scale a row", DataType::I8C, DataType::I8C, DataType::I8C},
    {"844", "8 bits for attention, 4 for feed-forward and embedding, one scale a row", DataType::I8C, DataType::I4C,
     DataType::I4C},
    single(DataType::Q4_0, "q4_0", "4 bits, a scale for 32 values", 2),
    single(DataType::Q4_1, "q4_1", "4 bits, scale and minimum for 32 values", 3),
    single(DataType::Q5_0, "q5_0", "5 bits, a scale for 32 values", 8),
    single(DataType::Q5_1, "q5_1", "5 bits, scale and minimum for 32 values", 9),
    single(DataType::Q8_0, "q8_0", "8 bits, a scale for 32 values", 7),
    single(DataType::IQ4_NL, "iq4_nl", "4 bits of uneven levels, a scale for 32 values", 25),
    single(DataType::MXFP4, "mxfp4", "4-bit floats, a power of two for 32 values", 38),
    single(DataType::Q4_K, "q4_k", "4 bits in superblocks of 256", 14),
    single(DataType::Q5_K, "q5_k", "5 bits in superblocks of 256", 16),
    single(DataType::Q6_K, "q6_k", "6 bits in superblocks of 256", 18),
    single(DataType::F16, "f16", "half floats", 1),
    single(DataType::BF16, "bf16", "bfloat16", 32),
    single(DataType::F32, "f32", "floats", 0),
}};

// What takes rows that a type cannot: superblocks become blocks of 32 of a bit more, those become halves.
DataType next_finer(DataType type) {
  switch (type) {
    case DataType::Q4_K: return DataType::Q5_0;
    case DataType::Q5_K: return DataType::Q5_1;
    case DataType::Q6_K: return DataType::Q8_0;
    default: return DataType::F16;
  }
}

// Routers of experts are small and decide much.
bool is_matrix(std::string_view name, const StoredTensor& tensor) {
  return tensor.dims.size() >= 2 && tensor.size() > tensor.dims[0] && !name.ends_with("_gate_inp.weight") &&
         name.ends_with(".weight");
}

DataType type_of_scheme(const Scheme& scheme, std::string_view name) {
  const std::size_t dot = name.starts_with("blk.") ? name.find('.', 4) : std::string_view::npos;
  if (dot == std::string_view::npos) return scheme.embedding;
  return name.substr(dot + 1).starts_with("attn_") ? scheme.attention : scheme.feed_forward;
}

bool is_plain(DataType type) { return info(type).block_length == 1; }

// About 4 MB of floats at once, in whole rows.
constexpr std::uint64_t piece_values = 1 << 20;

class RowEncoder {
 public:
  RowEncoder(const SourceTensor& source, DataType type)
      : source_(source),
        stored_(*source.stored),
        type_(type),
        columns_(stored_.dims[0]),
        rows_(stored_.size() / columns_),
        from_(row_bytes(stored_.type, columns_)),
        to_(row_bytes(type, columns_)) {}

  std::uint64_t rows() const { return rows_; }
  std::uint64_t columns() const { return columns_; }
  std::uint64_t rows_per_piece() const { return std::max<std::uint64_t>(1, piece_values / columns_); }

  /// Rows [first, first + count) as they are to be written.
  std::span<const std::byte> encode(std::uint64_t first, std::uint64_t count, unsigned threads) {
    if (stored_.type == type_ && source_.adjacent_heads == 0 && source_.offset == 0) {
      return stored_.bytes.subspan(first * from_, count * from_);
    }
    out_.resize(count * to_);
    share_out(count, threads, [&](std::size_t begin, std::size_t end) {
      std::vector<float> values(columns_);
      for (std::size_t i = begin; i < end; ++i) encode_one(first + i, values, std::span(out_).subspan(i * to_, to_));
    });
    return out_;
  }

 private:
  // The output of the source that becomes output `to` of `outputs`: within a head, pairs (i, i + half) become (2 i,
  // 2 i + 1).
  std::uint64_t source_of(std::uint64_t to, std::uint64_t outputs) const {
    const std::uint64_t head = outputs / source_.adjacent_heads, i = to % head;
    return to - i + i % 2 * (head / 2) + i / 2;
  }

  void encode_one(std::uint64_t row, std::span<float> values, std::span<std::byte> out) const try {
    const bool is_vector = stored_.dims.size() == 1;
    const std::uint64_t from = source_.adjacent_heads != 0 && !is_vector ? source_of(row, rows_) : row;
    decode_row(stored_.type, stored_.bytes.subspan(from * from_, from_), values);
    if (source_.adjacent_heads != 0 && is_vector) {
      const std::vector<float> stored(values.begin(), values.end());
      for (std::size_t i = 0; i < stored.size(); ++i) values[i] = stored[source_of(i, stored.size())];
    }
    if (source_.offset != 0) {
      for (float& value : values) value += source_.offset;
    }
    encode_row(type_, values, out);
  } catch (Error& error) {
    error.add_context(fmt::format("While quantizing row {} of the tensor {}.", row, quote_name(source_.name)));
    throw;
  }

  const SourceTensor& source_;
  const StoredTensor& stored_;
  DataType type_;
  std::uint64_t columns_, rows_, from_, to_;
  std::vector<std::byte> out_;
};

}  // namespace

bool Scheme::is_public() const {
  return is_public_gguf_type(attention) && is_public_gguf_type(feed_forward) && is_public_gguf_type(embedding);
}

std::span<const Scheme> schemes() { return table; }

const Scheme* find_scheme(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Scheme::name);
  return found == table.end() ? nullptr : &*found;
}

std::string scheme_names() {
  std::vector<std::string_view> names;
  for (const Scheme& scheme : table) names.push_back(scheme.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

DataType chosen_type(const Scheme& scheme, std::string_view name, const StoredTensor& tensor) {
  if (!info(tensor.type).is_float) {
    if (tensor.dims.size() < 2 && gguf_type_id(tensor.type)) return tensor.type;  // tables of integers stay
    throw Unsupported(fmt::format("The tensor {} is of type {}, which holds no real numbers to quantize.",
                                  quote_name(name), to_string(tensor.type)));
  }
  if (!is_matrix(name, tensor)) return DataType::F32;
  DataType type = type_of_scheme(scheme, name);
  while (!holds_rows_of(type, tensor.dims[0])) type = next_finer(type);
  return type;
}

bool falls_back(const Scheme& scheme, std::string_view name, const StoredTensor& tensor) {
  return info(tensor.type).is_float && is_matrix(name, tensor) &&
         chosen_type(scheme, name, tensor) != type_of_scheme(scheme, name);
}

QuantizationReport quantize(const QuantizationSource& source, const std::filesystem::path& path, const Scheme& scheme,
                            const QuantizationOptions& options) {
  QuantizationReport report;
  GgufWriter writer(path);
  source.add_metadata(writer);
  writer.add("driftwood.scheme", scheme.name);
  if (scheme.file_type) writer.add("general.file_type", *scheme.file_type);
  writer.add("general.quantization_version", std::uint32_t{2});
  std::uint64_t all = 0, done = 0;
  std::vector<DataType> types;
  for (const SourceTensor& tensor : source.tensors) {
    const StoredTensor& stored = *tensor.stored;
    const DataType type = chosen_type(scheme, tensor.name, stored);
    types.push_back(type);
    writer.add_tensor(tensor.name, type, stored.dims);
    const auto count = [&](std::map<DataType, TypeTotals>& totals, DataType of, std::uint64_t bytes) {
      TypeTotals& total = totals[of];
      ++total.tensors;
      total.values += stored.size();
      total.bytes += bytes;
    };
    count(report.before, stored.type, stored.bytes.size());
    count(report.after, type, stored_bytes(tensor.name, type, stored.dims));
    if (falls_back(scheme, tensor.name, stored)) {
      report.fallbacks.push_back(fmt::format("{}: {}", tensor.name, to_string(type)));
    }
    report.requantized += !is_plain(stored.type) && type != stored.type;
    all += stored.size();
  }
  writer.begin();
  for (std::size_t i = 0; i < source.tensors.size(); ++i) {
    const SourceTensor& tensor = source.tensors[i];
    const StoredTensor& stored = *tensor.stored;
    if (!info(stored.type).is_float || stored.dims.empty()) {
      writer.write(stored.bytes);
      done += stored.size();
      continue;
    }
    RowEncoder encoder(tensor, types[i]);
    for (std::uint64_t row = 0; row < encoder.rows(); row += encoder.rows_per_piece()) {
      const std::uint64_t count = std::min(encoder.rows_per_piece(), encoder.rows() - row);
      writer.write(encoder.encode(row, count, options.threads));
      // Rows of another order are read from all over the tensor: its pages go when it is done.
      if (tensor.adjacent_heads == 0) {
        const std::uint64_t stride = row_bytes(stored.type, encoder.columns());
        StoredTensor piece{.name = stored.name, .type = stored.type, .dims = {encoder.columns(), count}, .bytes = {}};
        piece.bytes = stored.bytes.subspan(row * stride, count * stride);
        source.release(piece);
      }
      done += count * encoder.columns();
      if (options.progress) options.progress(done, all);
    }
    source.release(stored);
  }
  writer.finish();
  report.file_bytes = writer.file_bytes();
  return report;
}

}  // namespace driftwood::models
