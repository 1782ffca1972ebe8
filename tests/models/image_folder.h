// A diffusers folder for tests, made from tests/data/sd/tiny: parts of it can be changed or left out.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "formats/safetensors.h"
#include "formats/temporary_folder.h"
#include "models/image_names.h"
#include "support/oracle.h"

namespace driftwood::testing {

class ImageFolder {
 public:
  ImageFolder() {
    for (const char* file : {"model_index.json", "scheduler/scheduler_config.json", "tokenizer/tokenizer_config.json"})
      link(file);
    for (const models::ImageComponent component : models::image_components) {
      link(std::string(to_string(component)) + "/config.json");
      link(weights(component));
    }
  }

  std::filesystem::path path() const { return folder_.path(); }
  static std::filesystem::path source() { return std::string(DRIFTWOOD_TEST_DATA) + "/sd/tiny"; }
  /// "unet/diffusion_pytorch_model.safetensors".
  static std::string weights(models::ImageComponent component) {
    return std::string(to_string(component)) + (component == models::ImageComponent::TextEncoder
                                                    ? "/model.safetensors"
                                                    : "/diffusion_pytorch_model.safetensors");
  }

  void remove(const std::string& name) const { std::filesystem::remove_all(path() / name); }
  void rename(const std::string& from, const std::string& to) const {
    std::filesystem::rename(path() / from, path() / to);
  }
  void write(const std::string& name, std::string_view text) const {
    remove(name);
    folder_.write(name, text);
  }
  void edit_json(const std::string& name, const std::function<void(nlohmann::json&)>& edit) const {
    auto document = test::read_json(source() / name);
    edit(document);
    write(name, document.dump());
  }
  /// Writes a component's tensors anew after a change. What replaces bytes must live as long as the call.
  void edit_tensors(models::ImageComponent component,
                    const std::function<void(std::vector<SafetensorsOutput>&)>& edit) const {
    const auto file = SafetensorsFile::open(source() / weights(component));
    std::vector<SafetensorsOutput> tensors;
    for (const StoredTensor& tensor : file.tensors().all())
      tensors.push_back({tensor.name, tensor.type, tensor.shape(), tensor.bytes});
    edit(tensors);
    remove(weights(component));
    write_safetensors(path() / weights(component), tensors);
  }

 private:
  void link(const std::string& name) const {
    const auto target = path() / name;
    std::filesystem::create_directories(target.parent_path());
    std::filesystem::create_symlink(source() / name, target);
  }

  TemporaryFolder folder_;
};

}  // namespace driftwood::testing
