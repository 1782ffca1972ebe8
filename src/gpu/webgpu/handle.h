// Owners of WebGPU objects, released through the table of the library that made them.
#pragma once

#include "gpu/handle.h"
#include "gpu/webgpu/api.h"

namespace driftwood::gpu::webgpu {

template <class T, auto Release>
using Handle = gpu::Handle<Api, T, Release>;

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
