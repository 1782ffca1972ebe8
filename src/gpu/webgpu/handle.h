// Owners of WebGPU objects, released through the table of the library that made them.
#pragma once

#include <memory>
#include <utility>

#include "gpu/webgpu/api.h"

namespace driftwood::gpu::webgpu {

/// Holds one reference to a WebGPU object and the library's functions.
template <class T, auto Release>
class Handle {
 public:
  Handle() = default;
  Handle(std::shared_ptr<const Api> api, T object) : api_(std::move(api)), object_(object) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : api_(std::move(other.api_)), object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      api_ = std::move(other.api_);
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  void reset() {
    if (object_ != nullptr) ((*api_).*Release)(object_);
    object_ = nullptr;
  }

 private:
  std::shared_ptr<const Api> api_;
  T object_ = nullptr;
};

using InstanceHandle = Handle<WGPUInstance, &Api::wgpuInstanceRelease>;
using AdapterHandle = Handle<WGPUAdapter, &Api::wgpuAdapterRelease>;
using DeviceHandle = Handle<WGPUDevice, &Api::wgpuDeviceRelease>;
using QueueHandle = Handle<WGPUQueue, &Api::wgpuQueueRelease>;
using BufferHandle = Handle<WGPUBuffer, &Api::wgpuBufferRelease>;
using TextureHandle = Handle<WGPUTexture, &Api::wgpuTextureRelease>;
using TextureViewHandle = Handle<WGPUTextureView, &Api::wgpuTextureViewRelease>;
using ShaderModuleHandle = Handle<WGPUShaderModule, &Api::wgpuShaderModuleRelease>;
using BindGroupLayoutHandle = Handle<WGPUBindGroupLayout, &Api::wgpuBindGroupLayoutRelease>;
using PipelineLayoutHandle = Handle<WGPUPipelineLayout, &Api::wgpuPipelineLayoutRelease>;
using PipelineHandle = Handle<WGPUComputePipeline, &Api::wgpuComputePipelineRelease>;
using BindGroupHandle = Handle<WGPUBindGroup, &Api::wgpuBindGroupRelease>;
using EncoderHandle = Handle<WGPUCommandEncoder, &Api::wgpuCommandEncoderRelease>;
using PassHandle = Handle<WGPUComputePassEncoder, &Api::wgpuComputePassEncoderRelease>;
using CommandsHandle = Handle<WGPUCommandBuffer, &Api::wgpuCommandBufferRelease>;
using QuerySetHandle = Handle<WGPUQuerySet, &Api::wgpuQuerySetRelease>;

}  // namespace driftwood::gpu::webgpu
