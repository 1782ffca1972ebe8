#include "gpu/opencl/memory.h"

#include <fmt/format.h>

#include "base/error.h"
#include "gpu/fact_checks.h"
#include "gpu/opencl/status.h"
#include "tensor/layout.h"

namespace driftwood::gpu::opencl {
namespace {

// Drivers for GPUs allocate when memory is first touched, so that a kernel would be the one to fail. Large objects are
// moved to the device at once instead; for small ones the call costs more than it tells.
constexpr std::uint64_t eager_bytes = 1u << 20;

}  // namespace

cl_image_format image_format(DataType texel) {
  switch (texel) {
    case DataType::F32: return {CL_RGBA, CL_FLOAT};
    case DataType::F16: return {CL_RGBA, CL_HALF_FLOAT};
    case DataType::I8: return {CL_RGBA, CL_SIGNED_INT8};
    case DataType::U8: return {CL_RGBA, CL_UNSIGNED_INT8};
    case DataType::I16: return {CL_RGBA, CL_SIGNED_INT16};
    case DataType::U16: return {CL_RGBA, CL_UNSIGNED_INT16};
    case DataType::I32: return {CL_RGBA, CL_SIGNED_INT32};
    case DataType::U32: return {CL_RGBA, CL_UNSIGNED_INT32};
    default: throw Unsupported(fmt::format("Images hold no texels of type {}.", to_string(texel)));
  }
}

MemHandle create_image(const Context& context, const MemoryDescriptor& descriptor, cl_mem backing, cl_int& status) {
  const cl_image_format format = image_format(descriptor.texel);
  cl_image_desc description = {};
  description.image_width = descriptor.extent[0];
  switch (descriptor.kind) {
    case StorageKind::Buffer: throw InternalError("A buffer is asked for as an image.");
    case StorageKind::ImageBuffer:
      description.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
      description.buffer = backing;
      break;
    case StorageKind::Texture2D:
      description.image_type = CL_MEM_OBJECT_IMAGE2D;
      description.image_height = descriptor.extent[1];
      break;
    case StorageKind::Texture3D:
      description.image_type = CL_MEM_OBJECT_IMAGE3D;
      description.image_height = descriptor.extent[1];
      description.image_depth = descriptor.extent[2];
      break;
    case StorageKind::Texture2DArray:
      description.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
      description.image_height = descriptor.extent[1];
      description.image_array_size = descriptor.extent[2];
      break;
  }
  return MemHandle(context.api, context.api->clCreateImage(context.context.get(), CL_MEM_READ_WRITE, &format,
                                                           &description, nullptr, &status));
}

OpenClMemory::OpenClMemory(std::shared_ptr<Context> context, const DeviceFacts& facts,
                           const MemoryDescriptor& descriptor)
    : context_(std::move(context)), descriptor_(descriptor) {
  const Api& api = *context_->api;
  const bool is_buffer = descriptor.kind == StorageKind::Buffer;
  if (is_buffer && descriptor.bytes == 0) throw InvalidInput("A buffer of 0 bytes is asked for.");
  if (!is_buffer) check_image_extent(facts, descriptor);
  const std::uint64_t bytes = is_buffer ? descriptor.bytes : image_bytes(descriptor);
  if (bytes > facts.max_allocation) {
    throw OutOfMemory(fmt::format("An allocation of {} bytes exceeds the {} bytes that the device '{}' allows for one.",
                                  bytes, facts.max_allocation, facts.id));
  }
  if (context_->allocated + bytes > facts.global_memory) {
    throw OutOfMemory(
        fmt::format("An allocation of {} bytes on top of {} exceeds the {} bytes of memory of the device '{}'.", bytes,
                    context_->allocated, facts.global_memory, facts.id));
  }

  if (is_buffer && context_->keeps_views) {
    if (std::optional<ViewPool::Entry> kept = context_->pool.take(bytes)) {
      buffer_ = std::move(kept->buffer);
      buffer_views_ = std::move(kept->views);
      buffer_bytes_ = kept->bytes;
      bytes_ = bytes;
      context_->allocated += bytes_;
      return;
    }
  }
  cl_int status = CL_SUCCESS;
  buffer_bytes_ = bytes;
  if (is_buffer || descriptor.kind == StorageKind::ImageBuffer) {
    // On a device that shares the host's memory this lets the driver map instead of copy.
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (facts.shares_host_memory ? CL_MEM_ALLOC_HOST_PTR : 0);
    buffer_ = MemHandle(context_->api, api.clCreateBuffer(context_->context.get(), flags, bytes, nullptr, &status));
  }
  if (status == CL_SUCCESS && !is_buffer) image_ = create_image(*context_, descriptor, buffer_.get(), status);
  if (status == CL_SUCCESS && !facts.shares_host_memory && bytes >= eager_bytes) {
    cl_mem object = buffer_ ? buffer_.get() : image_.get();
    status = api.clEnqueueMigrateMemObjects(context_->queue.get(), 1, &object, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
                                            0, nullptr, nullptr);
  }
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY || status == CL_OUT_OF_RESOURCES ||
      status == CL_INVALID_BUFFER_SIZE) {
    throw OutOfMemory(fmt::format("The device '{}' has no memory for {} bytes on top of {} ({}); it reports {} in all.",
                                  facts.id, bytes, context_->allocated, status_name(status), facts.global_memory));
  }
  if (status == CL_IMAGE_FORMAT_NOT_SUPPORTED || status == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR) {
    throw Unsupported(fmt::format("The device '{}' has no images of kind {} with texels of type {}.", facts.id,
                                  to_string(descriptor.kind), to_string(descriptor.texel)));
  }
  check(status, fmt::format("The allocation of {} bytes", bytes));
  bytes_ = bytes;
  context_->allocated += bytes_;
}

OpenClMemory::~OpenClMemory() {
  context_->allocated -= bytes_;
  if (!context_->keeps_views || buffer_views_.empty()) return;
  image_views_.clear();
  context_->pool.keep({std::move(buffer_), std::move(buffer_views_), buffer_bytes_});
}

cl_mem OpenClMemory::buffer_view(std::uint64_t offset, std::uint64_t size) {
  // Without an offset the whole buffer serves: OpenCL bounds no access by an argument's size.
  if (offset == 0) return buffer_.get();
  MemHandle& view = buffer_views_[{offset, size}];
  if (!view) {
    const cl_buffer_region region{offset, size};
    cl_int status = CL_SUCCESS;
    view = MemHandle(context_->api, context_->api->clCreateSubBuffer(buffer_.get(), CL_MEM_READ_WRITE,
                                                                     CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    check(status, fmt::format("The creation of a sub-buffer of {} bytes at offset {}", size, offset));
  }
  return view.get();
}

cl_mem OpenClMemory::image_buffer_view(std::uint64_t offset, DataType texel, std::uint32_t texels) {
  if (offset == 0 && image_ && texel == descriptor_.texel) return image_.get();
  MemHandle& view = image_views_[{offset, texel, texels}];
  if (!view) {
    const MemoryDescriptor descriptor{.kind = StorageKind::ImageBuffer, .texel = texel, .extent = {texels, 1, 1}};
    cl_int status = CL_SUCCESS;
    view = create_image(*context_, descriptor, buffer_view(offset, image_bytes(descriptor)), status);
    if (offset != 0 && status != CL_SUCCESS && status != CL_MEM_OBJECT_ALLOCATION_FAILURE) {
      throw Unsupported(
          fmt::format("The driver makes no image buffer over a part of a buffer ({}); the offset {} must be 0.",
                      status_name(status), offset));
    }
    check(status, fmt::format("The creation of an image of {} texels over a buffer", texels));
  }
  return view.get();
}

}  // namespace driftwood::gpu::opencl
