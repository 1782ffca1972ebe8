// A text-to-image model's files behind one set of tensor names, those of diffusers: a diffusers folder, or a single
// .safetensors file with the names of the original Stable Diffusion 1.x ("model.diffusion_model.input_blocks.0...").
//
//   const auto model = models::ImageCheckpoint::open(folder);
//   model.get(models::ImageComponent::Unet, "conv_in.weight", {320, 4, 3, 3}).bytes
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diffusion_config.h"
#include "formats/safetensors.h"
#include "models/image_names.h"

namespace driftwood::models {

class ImageCheckpoint {
 public:
  enum class Kind : std::uint8_t { Folder, SingleFile, ShapesAlone };

  /// The file that makes a folder a diffusers model.
  static constexpr std::string_view index_name = "model_index.json";

  /// Whether a path looks like a model for images: a folder with model_index.json, or a .safetensors file that has a
  /// UNet's tensors in the original naming. Reads no more than the file's header.
  static bool recognizes(const std::filesystem::path& path);

  /// Opens a folder or a single file. Throws InvalidInput or Unsupported, naming the file and the key or tensor, where
  /// a component is missing, a file is damaged or lies outside the folder, or a configuration is none of the family.
  static ImageCheckpoint open(const std::filesystem::path& path);

  /// A model without data: graphs can be built, lowered and planned, not run. The tensors' `bytes` are empty; vectors
  /// are zeros. `tensors` in the order of image_components, names as in a folder's files.
  static ImageCheckpoint from_shapes(ClipTextConfig text, UnetConfig unet, VaeConfig vae,
                                     std::array<std::vector<StoredTensor>, 3> tensors);

  const std::filesystem::path& path() const { return path_; }
  Kind kind() const { return kind_; }
  /// The name of the folder or file, for tables.
  std::string name() const;

  const ClipTextConfig& text_config() const { return text_config_; }
  const UnetConfig& unet_config() const { return unet_config_; }
  const VaeConfig& vae_config() const { return vae_config_; }
  /// The text of scheduler/scheduler_config.json; nothing in a single file, which stands for SD 1.x's own scheduler.
  const std::optional<std::string>& scheduler_config() const { return scheduler_config_; }
  /// The folder of the tokenizer's files; nothing in a single file or where the folder lacks it.
  const std::optional<std::filesystem::path>& tokenizer_folder() const { return tokenizer_folder_; }

  /// All tensors of a component by their diffusers names; those that no graph reads (position_ids, a safety checker's)
  /// are left out.
  const TensorTable& tensors(ImageComponent component) const { return part(component).tensors; }
  /// Null where there is none.
  const StoredTensor* find(ImageComponent component, std::string_view name) const;
  /// With this shape (slowest extent first, as PyTorch writes it; extents of 1 at the end do not count, so that a
  /// linear may be stored as a 1x1 convolution). Throws InvalidInput, giving the file's own name and both shapes, and
  /// Unsupported where the values are not f32, f16 or bf16.
  const StoredTensor& get(ImageComponent component, std::string_view name,
                          std::initializer_list<std::uint64_t> shape) const;
  /// A vector decoded to floats. Throws what get() throws.
  std::vector<float> vector(ImageComponent component, std::string_view name, std::uint32_t size) const;
  /// A table of rows decoded to floats.
  std::vector<float> table(ImageComponent component, std::string_view name, std::uint32_t rows,
                           std::uint32_t columns) const;

  /// Bytes and values of all components as stored.
  std::uint64_t total_bytes() const;
  std::uint64_t total_values() const;
  /// Lets the system drop a tensor's pages once it is uploaded.
  void release(const StoredTensor& tensor) const;

 private:
  struct Part {
    std::optional<SafetensorsFile> file;  // none in a single file, whose parts share one
    TensorTable tensors;
    std::map<std::string, std::string, std::less<>> own_names;  // of tensors that the file calls otherwise
  };
  ImageCheckpoint() = default;
  static ImageCheckpoint open_folder(const std::filesystem::path& path);
  static ImageCheckpoint open_single(const std::filesystem::path& path);
  const Part& part(ImageComponent component) const { return parts_[static_cast<std::size_t>(component)]; }
  void add(ImageComponent component, const std::vector<StoredTensor>& stored);

  std::filesystem::path path_;
  Kind kind_ = Kind::Folder;
  ClipTextConfig text_config_;
  UnetConfig unet_config_;
  VaeConfig vae_config_;
  std::optional<std::string> scheduler_config_;
  std::optional<std::filesystem::path> tokenizer_folder_;
  std::optional<SafetensorsFile> single_;
  std::array<Part, 3> parts_;
};

}  // namespace driftwood::models
