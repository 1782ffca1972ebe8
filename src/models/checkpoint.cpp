#include "models/checkpoint.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"

namespace driftwood::models {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> global_names = {{
    {"token_embd.weight", "model.embed_tokens.weight"},
    {"output_norm.weight", "model.norm.weight"},
    {"output.weight", "lm_head.weight"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> layer_names = {{
    {"attn_norm.weight", "input_layernorm.weight"},
    {"attn_q.weight", "self_attn.q_proj.weight"},
    {"attn_k.weight", "self_attn.k_proj.weight"},
    {"attn_v.weight", "self_attn.v_proj.weight"},
    {"attn_output.weight", "self_attn.o_proj.weight"},
    {"ffn_norm.weight", "post_attention_layernorm.weight"},
    {"ffn_gate.weight", "mlp.gate_proj.weight"},
    {"ffn_up.weight", "mlp.up_proj.weight"},
    {"ffn_down.weight", "mlp.down_proj.weight"},
}};

}  // namespace

std::string hugging_face_name(std::string_view gguf_name) {
  for (const auto& [gguf, hugging_face] : global_names)
    if (gguf == gguf_name) return std::string(hugging_face);
  if (gguf_name.starts_with("blk.")) {
    const std::string_view rest = gguf_name.substr(4);
    const std::size_t dot = rest.find('.');
    if (dot != std::string_view::npos)
      for (const auto& [gguf, hugging_face] : layer_names)
        if (gguf == rest.substr(dot + 1)) return fmt::format("model.layers.{}.{}", rest.substr(0, dot), hugging_face);
  }
  return std::string(gguf_name);
}

Checkpoint Checkpoint::open(const std::filesystem::path& path) try {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    if (std::filesystem::exists(path / "model_index.json", error)) {
      throw InvalidInput(fmt::format("'{}' is a diffusers folder: a model for images, not for text.", path.string()));
    }
    HfConfig hf = read_hf_config(path);
    LanguageConfig config = language_config(hf);  // before the tensors: the clearer error
    Checkpoint checkpoint(path, SafetensorsFile::open(path));
    checkpoint.hf_config_ = std::move(hf);
    checkpoint.config_ = std::move(config);
    checkpoint.name_ = std::filesystem::weakly_canonical(path, error).filename().string();
    return checkpoint;
  }
  Checkpoint checkpoint(path, GgufFile::open(path));
  const GgufMetadata& metadata = checkpoint.gguf()->metadata();
  checkpoint.config_ = language_config(metadata);
  checkpoint.name_ = std::string(metadata.find_string("general.name").value_or(checkpoint.config_.architecture));
  return checkpoint;
} catch (Error& error) {
  error.add_context(fmt::format("While opening the model '{}'.", path.string()));
  throw;
}

const TensorTable& Checkpoint::tensors() const {
  return std::visit([](const auto& file) -> const TensorTable& { return file.tensors(); }, file_);
}

std::string Checkpoint::own_name(std::string_view name) const {
  return gguf() != nullptr ? std::string(name) : hugging_face_name(name);
}

const StoredTensor* Checkpoint::find(std::string_view name) const { return tensors().find(own_name(name)); }

const StoredTensor& Checkpoint::get(std::string_view name, std::initializer_list<std::uint64_t> dims) const {
  return tensors().get(own_name(name), dims);
}

std::vector<float> Checkpoint::vector(std::string_view name, std::uint32_t size) const {
  const StoredTensor& tensor = get(name, {size});
  std::vector<float> values(size);
  decode_row(tensor.type, tensor.bytes, values);
  return values;
}

void Checkpoint::release(const StoredTensor& tensor) const {
  std::visit([&](const auto& file) { file.release(tensor); }, file_);
}

}  // namespace driftwood::models
