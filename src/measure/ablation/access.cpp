#include "measure/ablation/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "base/error.h"
#include "gpu/opencl/opencl_device.h"
#include "gpu/signature.h"
#include "graph/lowering.h"
#include "graph/storage_choice.h"
#include "measure/ablation/access_kernels.h"
#include "shader/compile.h"
#include "tensor/pack.h"
#include "tensor/storage.h"
#ifdef DRIFTWOOD_WEBGPU
#include "gpu/webgpu/webgpu_device.h"
#endif

namespace driftwood::measure {
namespace {

constexpr StorageKind kinds[] = {StorageKind::Buffer, StorageKind::ImageBuffer, StorageKind::Texture2D,
                                 StorageKind::Texture2DArray, StorageKind::Texture3D};

// Of one submission, whose own cost would else count as much as a kernel's.
constexpr std::size_t launches = 8;

std::optional<HandLanguage> language_of(gpu::Device& device) {
  if (dynamic_cast<gpu::opencl::OpenClDevice*>(&device) != nullptr) return HandLanguage::OpenCl;
#ifdef DRIFTWOOD_WEBGPU
  if (dynamic_cast<gpu::webgpu::WebGpuDevice*>(&device) != nullptr) return HandLanguage::Wgsl;
#endif
  return std::nullopt;
}

std::shared_ptr<gpu::Kernel> compile_by_hand(gpu::Device& device, const std::string& source,
                                             const gpu::Signature& signature) {
#ifdef DRIFTWOOD_WEBGPU
  if (auto* webgpu = dynamic_cast<gpu::webgpu::WebGpuDevice*>(&device)) {
    return webgpu->compile_source(source, "by_hand", "by_hand", signature);
  }
#endif
  return dynamic_cast<gpu::opencl::OpenClDevice&>(device).compile_source(source, "by_hand", "by_hand", signature);
}

/// Larger than the caches of a GPU; of a CPU, where that would take seconds, some milliseconds of work.
Shape shape_for(const gpu::DeviceFacts& facts, bool is_small) {
  if (is_small) return {.h = 5, .w = 7, .c = 12};
  const bool on_cpu = facts.is_cpu || facts.device_class == gpu::DeviceClass::Software;
  return on_cpu ? Shape{.h = 96, .w = 96, .c = 128} : Shape{.h = 256, .w = 512, .c = 128};
}

class Pair {
 public:
  Pair(gpu::Device& device, const AccessKernel& kernel, const TensorDescriptor& tensor, HandLanguage language)
      : device_(device), tensor_(tensor) {
    const TensorDescriptor vector{.shape = {.c = tensor.shape.c},
                                  .data_type = DataType::F32,
                                  .storage = StorageKind::Buffer,
                                  .layout = graph::default_layout(StorageKind::Buffer)};
    const std::array<std::uint32_t, 2> workgroup = kernel.covers_positions ? std::array{16U, 4U} : std::array{32U, 2U};
    shader::Specialization specialization;
    specialization.overrides = {{"width", workgroup[0]}, {"height", workgroup[1]}};
    specialization.tensors = {{"x", tensor}, {"y", tensor}};
    if (kernel.uses_other) specialization.tensors["other"] = tensor;
    if (kernel.uses_gamma) specialization.tensors["gamma"] = vector;
    const auto source = [&](std::string_view path) -> std::optional<shader::SourceFile> {
      if (path != "package::access") return std::nullopt;
      return shader::SourceFile{"access.wgsl", kernel.text};
    };
    const shader::Module module = shader::compile(source, "package::access", specialization, {});
    const auto by_hand = hand_written(kernel, language, tensor, workgroup);
    if (!by_hand) throw Unsupported("The language has no such storage.");
    const auto virtualised = device.compile(module, "virtualised");
    const auto written = compile_by_hand(device, *by_hand, gpu::signature_of(module));

    std::vector<gpu::Binding> inputs = {upload(tensor, 1)};
    if (kernel.uses_other) inputs.push_back(upload(tensor, 2));
    if (kernel.uses_gamma) inputs.push_back(upload(vector, 3));
    const Shape& shape = tensor.shape;
    const auto groups = [](std::uint64_t extent, std::uint32_t part) {
      return static_cast<std::uint32_t>(divide_up(extent, part));
    };
    const std::array<std::uint32_t, 3> grid =
        kernel.covers_positions
            ? std::array{groups(shape.w, workgroup[0]), groups(shape.h, workgroup[1]), 1U}
            : std::array{groups(shape.slices(), workgroup[0]), groups(shape.w, workgroup[1]), shape.h};
    // Both write the same memory, so that no difference in where it lies is measured.
    result_ = device.allocate(graph::physical_object(tensor));
    for (const bool is_on : {true, false}) {
      std::vector<gpu::Binding> bindings = inputs;
      bindings.push_back({.memory = result_});
      const gpu::Dispatch dispatch{is_on ? virtualised : written, bindings, grid, std::string(kernel.name)};
      (is_on ? on_ : off_) = device.record(std::vector<gpu::Dispatch>(launches, dispatch));
    }
  }

  void check(const std::string& what) {
    const std::vector<float> on = result_of(*on_), off = result_of(*off_);
    for (std::size_t i = 0; i < on.size(); ++i) {
      if (std::abs(on[i] - off[i]) <= 1e-4F * (1 + std::abs(on[i]))) continue;
      throw InternalError(fmt::format("{}: value {} is {} virtualised and {} by hand.", what, i, on[i], off[i]));
    }
  }

  Work on() {
    return [this] { device_.submit(*on_); };
  }
  Work off() {
    return [this] { device_.submit(*off_); };
  }

 private:
  gpu::Binding upload(const TensorDescriptor& descriptor, std::uint32_t seed) {
    std::vector<float> values(descriptor.shape.elements());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>((i * 2654435761U + seed * 977U) % 2048U) / 1024.0F - 1.0F;
    }
    const auto objects = pack(descriptor, std::span<const float>(values));
    const auto memory = device_.allocate(graph::physical_object(descriptor));
    device_.write(*memory, 0, objects.at(0));
    return {.memory = memory};
  }

  std::vector<float> result_of(gpu::Recording& recording) {
    std::vector<std::vector<std::byte>> objects(1);
    objects[0].resize(object_bytes(tensor_));
    // What was there before must not pass for a result.
    device_.write(*result_, 0, objects[0]);
    device_.submit(recording);
    device_.read(*result_, 0, objects[0]);
    return unpack<float>(tensor_, objects);
  }

  gpu::Device& device_;
  TensorDescriptor tensor_;
  std::shared_ptr<gpu::Memory> result_;
  std::unique_ptr<gpu::Recording> on_, off_;
};

}  // namespace

std::vector<Comparison> compare_access(gpu::Device& device, const AccessSettings& settings) {
  const gpu::DeviceFacts& facts = device.facts();
  const auto skip = [&](const std::string& why) {
    if (settings.skipped) settings.skipped(why);
  };
  const auto language = language_of(device);
  if (!language) {
    skip(fmt::format("Addresses by hand are written in OpenCL C and WGSL, which the device '{}' does not take.",
                     facts.id));
    return {};
  }
  std::vector<Comparison> comparisons;
  for (const StorageKind kind : kinds) {
    const TensorDescriptor tensor{.shape = shape_for(facts, settings.is_small),
                                  .data_type = DataType::F32,
                                  .storage = kind,
                                  .layout = graph::default_layout(kind)};
    const bool has_language = kind != StorageKind::ImageBuffer || *language == HandLanguage::OpenCl;
    if (!graph::fits(tensor, facts) || !has_language) {
      skip(fmt::format("The device '{}' has no {} of {}.", facts.id, to_string(kind), to_string(tensor.shape)));
      continue;
    }
    for (const AccessKernel& kernel : access_kernels()) {
      Comparison comparison{.technique = "virtualised-access",
                            .stage = fmt::format("{}, {}", kernel.name, to_string(kind)),
                            .on = "virtualised",
                            .off = "by hand"};
      Pair pair(device, kernel, tensor, *language);
      pair.check(comparison.stage);
      time_in_turns(device, pair.on(), pair.off(), settings.turns, comparison);
      comparison.divide_times(launches);
      if (settings.done) settings.done(comparison);
      comparisons.push_back(std::move(comparison));
    }
  }
  return comparisons;
}

}  // namespace driftwood::measure
