// Buffers and images, and the views of buffers that bindings need: a one-dimensional image over (a part of) a buffer
// where a kernel reads it as an image buffer. Kernels take buffers whole, with an offset (shader::emit_opencl).
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "gpu/device.h"
#include "gpu/opencl/context.h"

namespace driftwood::gpu::opencl {

/// The channel type of four-channel texels, as image formats have it. Throws Unsupported for other types.
cl_image_format image_format(DataType texel);

/// An image of any kind; an image buffer lies over `backing`. Sets `status`.
MemHandle create_image(const Context& context, const MemoryDescriptor& descriptor, cl_mem backing, cl_int& status);

class OpenClMemory : public Memory {
 public:
  /// Throws OutOfMemory where a limit of `facts` is exceeded or the driver has no memory left, Unsupported where the
  /// device has no such images.
  OpenClMemory(std::shared_ptr<Context> context, const DeviceFacts& facts, const MemoryDescriptor& descriptor);
  ~OpenClMemory() override;

  const MemoryDescriptor& descriptor() const override { return descriptor_; }
  std::uint64_t bytes() const { return bytes_; }
  bool has_buffer() const { return static_cast<bool>(buffer_); }
  const Context& context() const { return *context_; }

  cl_mem buffer() const { return buffer_.get(); }  // of a buffer or image buffer
  cl_mem image() const { return image_.get(); }    // of images

  /// The part as an image buffer of `texel`, `texels` long; made once and kept. Throws Unsupported where the driver
  /// takes no sub-buffer for it (PoCL 3.1).
  cl_mem image_buffer_view(std::uint64_t offset, DataType texel, std::uint32_t texels);

 private:
  /// The part as a buffer of its own, for an image over it; made once and kept.
  cl_mem buffer_view(std::uint64_t offset, std::uint64_t size);

  std::shared_ptr<Context> context_;
  MemoryDescriptor descriptor_;
  std::uint64_t bytes_ = 0;
  MemHandle buffer_;
  std::uint64_t buffer_bytes_ = 0;  // what the driver gave, at least bytes_
  MemHandle image_;
  BufferViews buffer_views_;
  std::map<std::tuple<std::uint64_t, DataType, std::uint32_t>, MemHandle> image_views_;
};

}  // namespace driftwood::gpu::opencl
