#include "models/image_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "formats/guarded_json.h"
#include "formats/quote.h"

namespace driftwood::models {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view index_name = ImageCheckpoint::index_name;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

nlohmann::json read_index(const fs::path& folder) {
  const fs::path path = folder / index_name;
  if (!is_there(path)) {
    throw InvalidInput(
        fmt::format("The folder '{}' has no '{}', so it is no diffusers folder.", folder.string(), index_name));
  }
  nlohmann::json index = parse_json(read_config_text(path), "The model index", {.depth = 16});
  if (!index.is_object()) throw InvalidInput("The model index is no JSON object.");
  return index;
}

/// The class that the index gives a component; empty where it is missing or null.
std::string class_of(const nlohmann::json& index, std::string_view component) {
  const auto entry = index.find(component);
  if (entry == index.end() || entry->is_null()) return {};
  if (!entry->is_array() || entry->size() != 2) {
    throw InvalidInput(
        fmt::format("'{}' gives the component '{}' no pair of library and class.", index_name, component));
  }
  const nlohmann::json& name = entry->at(1);
  if (name.is_null()) return {};
  if (!name.is_string()) {
    throw InvalidInput(fmt::format("'{}' gives the component '{}' a class that is no string.", index_name, component));
  }
  return name.get<std::string>();
}

void check_classes(const nlohmann::json& index) {
  if (!class_of(index, "text_encoder_2").empty()) {
    throw Unsupported(
        "The model has a second text encoder; supported are models of Stable Diffusion 1.x, which have one.");
  }
  constexpr std::pair<ImageComponent, std::string_view> classes[] = {{ImageComponent::TextEncoder, "CLIPTextModel"},
                                                                     {ImageComponent::Unet, "UNet2DConditionModel"},
                                                                     {ImageComponent::Vae, "AutoencoderKL"}};
  for (const auto& [component, supported] : classes) {
    const std::string name = class_of(index, to_string(component));
    if (name.empty()) {
      throw InvalidInput(fmt::format("'{}' names no '{}', which the model needs.", index_name, to_string(component)));
    }
    if (name == supported || (component == ImageComponent::TextEncoder && name == "CLIPTextModelWithProjection"))
      continue;
    throw Unsupported(fmt::format("The component '{}' is of the class {}; supported is {}.", to_string(component),
                                  quote_name(name), supported));
  }
}

/// The file, or index of files, with a component's weights: half-precision variants where there is no plain one.
fs::path weights_file(const fs::path& folder, ImageComponent component) {
  const std::string base = component == ImageComponent::TextEncoder ? "model" : "diffusion_pytorch_model";
  const std::string names[] = {base + ".safetensors.index.json", base + ".safetensors",
                               base + ".safetensors.index.fp16.json", base + ".fp16.safetensors"};
  for (const std::string& name : names) {
    if (is_there(folder / name)) return folder / name;
  }
  const std::string pickle = component == ImageComponent::TextEncoder ? "pytorch_model.bin" : base + ".bin";
  if (is_there(folder / pickle)) {
    throw Unsupported(fmt::format("The folder '{}' has its weights as '{}' alone; supported is '{}'.", folder.string(),
                                  pickle, names[1]));
  }
  throw InvalidInput(fmt::format("The folder '{}' has neither '{}' nor '{}'.", folder.string(), names[1], names[3]));
}

template <class Parse>
auto read_config(const fs::path& folder, Parse parse) {
  const fs::path path = folder / "config.json";
  if (!is_there(path)) throw InvalidInput(fmt::format("The folder '{}' has no 'config.json'.", folder.string()));
  try {
    return parse(read_config_text(path));
  } catch (Error& error) {
    error.add_context(fmt::format("While reading '{}'.", path.string()));
    throw;
  }
}

void check_together(const ClipTextConfig& text, const UnetConfig& unet, const VaeConfig& vae) {
  if (unet.context != text.hidden) {
    throw InvalidInput(
        fmt::format("The UNet reads texts of {} channels, but the text encoder gives {}.", unet.context, text.hidden));
  }
  if (unet.in_channels != vae.latent_channels || unet.out_channels != vae.latent_channels) {
    throw Unsupported(
        fmt::format("The UNet takes {} channels and gives {}, but the VAE's latents have {}; supported "
                    "are models where all are equal, unlike those for inpainting.",
                    unet.in_channels, unet.out_channels, vae.latent_channels));
  }
}

bool has_values_to_compute_with(DataType type) {
  return type == DataType::F32 || type == DataType::F16 || type == DataType::BF16;
}

/// Without extents of 1 at the end.
std::span<const std::uint64_t> significant(std::span<const std::uint64_t> shape) {
  while (shape.size() > 1 && shape.back() == 1) shape = shape.first(shape.size() - 1);
  return shape;
}

/// The values; zeros where there are no data.
std::vector<float> decoded(const StoredTensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.size()));
  if (!tensor.bytes.empty()) decode_row(tensor.type, tensor.bytes, values);
  return values;
}

}  // namespace

bool ImageCheckpoint::recognizes(const fs::path& path) {
  if (is_folder(path)) return is_there(path / index_name);
  if (path.extension() != ".safetensors") return false;
  const SafetensorsFile file = SafetensorsFile::open(path);
  return std::ranges::any_of(file.tensors().all(), [](const StoredTensor& tensor) {
    const auto name = original_to_diffusers(tensor.name);
    return name && name->component == ImageComponent::Unet;
  });
}

ImageCheckpoint ImageCheckpoint::open(const fs::path& path) try {
  std::error_code ignored;
  if (path.extension() == ".gguf" || (is_folder(path) && !fs::exists(path / "model_index.json", ignored) &&
                                      fs::exists(path / "config.json", ignored))) {
    throw InvalidInput(
        fmt::format("'{}' is a language model's file or folder; pictures take a diffusers folder or a "
                    ".safetensors file of Stable Diffusion 1.x.",
                    path.string()));
  }
  ImageCheckpoint checkpoint = is_folder(path) ? open_folder(path) : open_single(path);
  checkpoint.path_ = path;
  check_together(checkpoint.text_config_, checkpoint.unet_config_, checkpoint.vae_config_);
  return checkpoint;
} catch (Error& error) {
  error.add_context(fmt::format("While opening the model '{}'.", path.string()));
  throw;
}

ImageCheckpoint ImageCheckpoint::open_folder(const fs::path& path) {
  const nlohmann::json index = read_index(path);
  check_classes(index);
  for (const ImageComponent component : image_components) {
    const fs::path folder = path / to_string(component);
    if (!is_folder(folder)) throw InvalidInput(fmt::format("The folder '{}' is missing.", folder.string()));
  }
  ImageCheckpoint checkpoint;
  // All configurations before any tensors: the clearer errors.
  checkpoint.text_config_ = read_config(path / "text_encoder", parse_clip_text_config);
  checkpoint.unet_config_ = read_config(path / "unet", parse_unet_config);
  checkpoint.vae_config_ = read_config(path / "vae", parse_vae_config);
  for (const ImageComponent component : image_components) {
    const fs::path file = weights_file(path / to_string(component), component);
    Part& part = checkpoint.parts_[static_cast<std::size_t>(component)];
    part.file = SafetensorsFile::open(file);
    try {
      checkpoint.add(component, part.file->tensors().all());
    } catch (Error& error) {
      error.add_context(fmt::format("While reading '{}'.", file.string()));
      throw;
    }
  }
  if (!class_of(index, "scheduler").empty()) {
    checkpoint.scheduler_config_ = read_config_text(path / "scheduler" / "scheduler_config.json");
  }
  if (is_folder(path / "tokenizer")) checkpoint.tokenizer_folder_ = path / "tokenizer";
  return checkpoint;
}

ImageCheckpoint ImageCheckpoint::open_single(const fs::path& path) {
  ImageCheckpoint checkpoint;
  checkpoint.kind_ = Kind::SingleFile;
  checkpoint.text_config_ = stable_diffusion_clip_config();
  checkpoint.unet_config_ = stable_diffusion_unet_config();
  checkpoint.vae_config_ = stable_diffusion_vae_config();
  checkpoint.single_ = SafetensorsFile::open(path);
  std::array<std::vector<StoredTensor>, 3> stored;
  for (const StoredTensor& tensor : checkpoint.single_->tensors().all()) {
    const auto name = original_to_diffusers(tensor.name);
    if (!name) continue;
    const auto component = static_cast<std::size_t>(name->component);
    stored[component].push_back(tensor);
    stored[component].back().name = name->name;
    checkpoint.parts_[component].own_names.emplace(name->name, tensor.name);
  }
  for (const ImageComponent component : image_components) {
    const auto& tensors = stored[static_cast<std::size_t>(component)];
    if (tensors.empty()) {
      throw InvalidInput(
          fmt::format("The file has no tensors of a {} in the naming of Stable Diffusion 1.x.", in_words(component)));
    }
    checkpoint.add(component, tensors);
  }
  // Other families share the names; these two shapes tell them apart.
  const UnetConfig& unet = checkpoint.unet_config_;
  checkpoint.get(ImageComponent::Unet, "conv_in.weight", {unet.levels[0].channels, unet.in_channels, 3, 3});
  checkpoint.get(ImageComponent::Unet, "mid_block.attentions.0.transformer_blocks.0.attn2.to_k.weight",
                 {unet.levels.back().channels, unet.context});
  return checkpoint;
}

ImageCheckpoint ImageCheckpoint::from_shapes(ClipTextConfig text, UnetConfig unet, VaeConfig vae,
                                             std::array<std::vector<StoredTensor>, 3> tensors) {
  check_together(text, unet, vae);
  ImageCheckpoint checkpoint;
  checkpoint.kind_ = Kind::ShapesAlone;
  checkpoint.text_config_ = text;
  checkpoint.unet_config_ = std::move(unet);
  checkpoint.vae_config_ = std::move(vae);
  for (const ImageComponent component : image_components) {
    auto& stored = tensors[static_cast<std::size_t>(component)];
    for (StoredTensor& tensor : stored) tensor.bytes = {};
    checkpoint.add(component, stored);
  }
  return checkpoint;
}

void ImageCheckpoint::add(ImageComponent component, const std::vector<StoredTensor>& stored) {
  Part& part = parts_[static_cast<std::size_t>(component)];
  std::vector<StoredTensor> tensors;
  for (const StoredTensor& tensor : stored) {
    auto name = diffusers_name(component, tensor.name);
    if (!name) continue;
    if (*name != tensor.name) part.own_names.emplace(*name, tensor.name);
    tensors.push_back(tensor);
    tensors.back().name = std::move(*name);
  }
  part.tensors = TensorTable(std::move(tensors));
}

std::string ImageCheckpoint::name() const {
  std::error_code ignored;
  const fs::path path = fs::weakly_canonical(path_, ignored);
  return kind_ == Kind::SingleFile ? path.stem().string() : path.filename().string();
}

const StoredTensor* ImageCheckpoint::find(ImageComponent component, std::string_view name) const {
  return part(component).tensors.find(name);
}

const StoredTensor& ImageCheckpoint::get(ImageComponent component, std::string_view name,
                                         std::initializer_list<std::uint64_t> shape) const {
  const StoredTensor* tensor = find(component, name);
  if (tensor == nullptr) {
    throw InvalidInput(fmt::format("The tensor {} of the {} is missing.", quote_name(name), in_words(component)));
  }
  const auto own = part(component).own_names.find(name);
  const std::string named = own == part(component).own_names.end()
                                ? quote_name(name)
                                : fmt::format("{} ({})", quote_name(name), quote_name(own->second));
  const std::vector<std::uint64_t> stored = tensor->shape();
  if (!std::ranges::equal(significant(stored), significant({shape.begin(), shape.size()}))) {
    throw InvalidInput(fmt::format("The tensor {} of the {} has the shape {}, but {} is expected.", named,
                                   in_words(component), describe_dims(stored),
                                   describe_dims({shape.begin(), shape.size()})));
  }
  if (!has_values_to_compute_with(tensor->type)) {
    throw Unsupported(fmt::format("The tensor {} of the {} has the type {}; supported are f32, f16 and bf16.", named,
                                  in_words(component), to_string(tensor->type)));
  }
  return *tensor;
}

std::vector<float> ImageCheckpoint::vector(ImageComponent component, std::string_view name, std::uint32_t size) const {
  return decoded(get(component, name, {size}));
}

std::vector<float> ImageCheckpoint::table(ImageComponent component, std::string_view name, std::uint32_t rows,
                                          std::uint32_t columns) const {
  return decoded(get(component, name, {rows, columns}));
}

std::uint64_t ImageCheckpoint::total_bytes() const {
  std::uint64_t total = 0;
  for (const Part& part : parts_)
    for (const StoredTensor& tensor : part.tensors.all()) total += stored_bytes(tensor.name, tensor.type, tensor.dims);
  return total;
}

std::uint64_t ImageCheckpoint::total_values() const {
  std::uint64_t total = 0;
  for (const Part& part : parts_) total += part.tensors.total_values();
  return total;
}

void ImageCheckpoint::release(const StoredTensor& tensor) const {
  if (single_) single_->release(tensor);
  for (const Part& part : parts_)
    if (part.file) part.file->release(tensor);
}

}  // namespace driftwood::models
