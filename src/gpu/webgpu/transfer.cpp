#include "gpu/webgpu/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"
#include "tensor/layout.h"

namespace driftwood::gpu::webgpu {
namespace {

// The library copies what is written and keeps the copy until the queue has run it.
constexpr std::uint64_t piece_bytes = 16u << 20;
constexpr std::uint64_t written_limit = 64u << 20;
constexpr std::uint64_t row_alignment = 256;  // of rows that are copied from a texture to a buffer
constexpr std::uint64_t smallest_staging = 64u << 10;

struct MapAnswer {
  bool done = false;
  WGPUMapAsyncStatus status = WGPUMapAsyncStatus_Error;
  std::string message;
};

void take_map(WGPUMapAsyncStatus status, WGPUStringView message, void* answer, void*) {
  auto& result = *static_cast<MapAnswer*>(answer);
  result.status = status;
  result.message = text_of(message);
  result.done = true;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }

struct TextureShape {
  std::uint32_t width, height, depth;
  std::uint64_t row_bytes;  // tightly packed
};

TextureShape shape_of(const MemoryDescriptor& descriptor) {
  return {descriptor.extent[0], descriptor.extent[1],
          descriptor.kind == StorageKind::Texture2D ? 1 : descriptor.extent[2],
          std::uint64_t{4} * info(descriptor.texel).block_bytes * descriptor.extent[0]};
}

// Calls with the first row, the number of rows and the layer of each piece of at most `limit` bytes (or one row).
template <class Piece>
void for_each_piece(const TextureShape& shape, std::uint64_t row_bytes, Piece&& piece) {
  const auto rows =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(piece_bytes / row_bytes, 1, std::max(shape.height, 1u)));
  for (std::uint32_t layer = 0; layer < shape.depth; ++layer) {
    for (std::uint32_t row = 0; row < shape.height; row += rows) {
      piece(row, std::min(rows, shape.height - row), layer);
    }
  }
}

}  // namespace

void Transfer::count_written(std::uint64_t bytes) {
  written_ += bytes;
  if (written_ < written_limit) return;
  written_ = 0;
  context_->api().wgpuQueueSubmit(context_->queue.get(), 0, nullptr);
  context_->finish();
}

void Transfer::write_words(const WebGpuMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min<std::size_t>(bytes.size(), piece_bytes));
    context_->api().wgpuQueueWriteBuffer(context_->queue.get(), memory.buffer(), offset, piece.data(), piece.size());
    count_written(piece.size());
    offset += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

void Transfer::patch_word(const WebGpuMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes) {
  std::array<std::byte, word_bytes> word;
  const std::uint64_t start = offset / word_bytes * word_bytes;
  read_words(memory.buffer(), start, word);
  std::copy(bytes.begin(), bytes.end(), word.begin() + static_cast<std::ptrdiff_t>(offset - start));
  write_words(memory, start, word);
}

void Transfer::write_buffer(const WebGpuMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes) {
  context_->check();
  if (const std::uint64_t beyond = offset % word_bytes; beyond != 0 && !bytes.empty()) {
    const auto head = bytes.first(std::min<std::size_t>(bytes.size(), word_bytes - beyond));
    patch_word(memory, offset, head);
    offset += head.size();
    bytes = bytes.subspan(head.size());
  }
  const std::size_t whole = bytes.size() / word_bytes * word_bytes;
  write_words(memory, offset, bytes.first(whole));
  if (const auto tail = bytes.subspan(whole); !tail.empty()) patch_word(memory, offset + whole, tail);
  context_->check();
}

void Transfer::write_texture(const WebGpuMemory& memory, std::span<const std::byte> bytes) {
  context_->check();
  const TextureShape shape = shape_of(memory.descriptor());
  std::vector<std::byte> zeros;
  for_each_piece(shape, shape.row_bytes, [&](std::uint32_t row, std::uint32_t rows, std::uint32_t layer) {
    const std::uint64_t size = rows * shape.row_bytes;
    if (bytes.empty()) zeros.resize(std::max(zeros.size(), size));
    const std::byte* source =
        bytes.empty() ? zeros.data() : bytes.data() + (std::uint64_t{layer} * shape.height + row) * shape.row_bytes;
    WGPUTexelCopyTextureInfo target = {};
    target.texture = memory.texture();
    target.origin = {0, row, layer};
    target.aspect = WGPUTextureAspect_All;
    const WGPUTexelCopyBufferLayout layout = {0, static_cast<std::uint32_t>(shape.row_bytes), rows};
    const WGPUExtent3D extent = {shape.width, rows, 1};
    context_->api().wgpuQueueWriteTexture(context_->queue.get(), &target, source, size, &layout, &extent);
    count_written(size);
  });
  context_->check();
}

WGPUBuffer Transfer::staging(std::uint64_t bytes) {
  if (staging_bytes_ < bytes) {
    ErrorScope scope(*context_->instance, context_->device.get());
    WGPUBufferDescriptor descriptor = {};
    descriptor.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst;
    descriptor.size = round_up(std::max(bytes, smallest_staging), row_alignment);
    staging_bytes_ = 0;
    staging_ = BufferHandle(context_->shared_api(),
                            context_->api().wgpuDeviceCreateBuffer(context_->device.get(), &descriptor));
    scope.check(fmt::format("The allocation of {} bytes for reading", descriptor.size));
    staging_bytes_ = descriptor.size;
  }
  return staging_.get();
}

template <class Take>
void Transfer::with_mapped(std::uint64_t bytes, Take&& take) {
  const Api& api = context_->api();
  auto answer = std::make_unique<MapAnswer>();
  WGPUBufferMapCallbackInfo callback = {};
  callback.mode = context_->instance->wait_mode();
  callback.callback = take_map;
  callback.userdata1 = answer.get();
  const WGPUFuture future = api.wgpuBufferMapAsync(staging_.get(), WGPUMapMode_Read, 0, bytes, callback);
  if (!context_->instance->wait(future, answer->done, context_->device.get())) {
    answer.release();  // the answer may still come
    context_->check();
    throw DeviceLost("The device does not answer when memory is to be read.");
  }
  context_->check();
  const void* mapped = nullptr;
  if (answer->status == WGPUMapAsyncStatus_Success) {
    mapped = api.wgpuBufferGetConstMappedRange(staging_.get(), 0, bytes);
  }
  if (mapped == nullptr) {
    throw DeviceLost(fmt::format("Reading {} bytes from the device fails: {}.", bytes,
                                 answer->message.empty() ? "it gives no reason" : first_lines(answer->message)));
  }
  take(static_cast<const std::byte*>(mapped));
  api.wgpuBufferUnmap(staging_.get());
}

void Transfer::read_words(WGPUBuffer buffer, std::uint64_t offset, std::span<std::byte> bytes) {
  const Api& api = context_->api();
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min<std::size_t>(bytes.size(), piece_bytes));
    const WGPUBuffer target = staging(piece.size());
    const EncoderHandle encoder(context_->shared_api(),
                                api.wgpuDeviceCreateCommandEncoder(context_->device.get(), nullptr));
    api.wgpuCommandEncoderCopyBufferToBuffer(encoder.get(), buffer, offset, target, 0, piece.size());
    context_->submit(encoder.get());
    written_ = 0;  // what was written before has been copied when this can be read
    with_mapped(piece.size(), [&](const std::byte* from) { std::memcpy(piece.data(), from, piece.size()); });
    offset += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

void Transfer::read_buffer(const WebGpuMemory& memory, std::uint64_t offset, std::span<std::byte> bytes) {
  context_->check();
  const auto read_part = [&](std::span<std::byte> part) {
    std::array<std::byte, word_bytes> word;
    const std::uint64_t start = offset / word_bytes * word_bytes;
    read_words(memory.buffer(), start, word);
    std::copy_n(word.begin() + static_cast<std::ptrdiff_t>(offset - start), part.size(), part.begin());
    offset += part.size();
    bytes = bytes.subspan(part.size());
  };
  if (const std::uint64_t beyond = offset % word_bytes; beyond != 0 && !bytes.empty()) {
    read_part(bytes.first(std::min<std::size_t>(bytes.size(), word_bytes - beyond)));
  }
  const std::size_t whole = bytes.size() / word_bytes * word_bytes;
  read_words(memory.buffer(), offset, bytes.first(whole));
  offset += whole;
  bytes = bytes.subspan(whole);
  if (!bytes.empty()) read_part(bytes);
}

void Transfer::read_texture(const WebGpuMemory& memory, std::span<std::byte> bytes) {
  context_->check();
  const Api& api = context_->api();
  const TextureShape shape = shape_of(memory.descriptor());
  const std::uint64_t stride = round_up(shape.row_bytes, row_alignment);
  for_each_piece(shape, stride, [&](std::uint32_t row, std::uint32_t rows, std::uint32_t layer) {
    const std::uint64_t size = rows * stride;
    WGPUTexelCopyTextureInfo source = {};
    source.texture = memory.texture();
    source.origin = {0, row, layer};
    source.aspect = WGPUTextureAspect_All;
    WGPUTexelCopyBufferInfo target = {};
    target.buffer = staging(size);
    target.layout = {0, static_cast<std::uint32_t>(stride), rows};
    const WGPUExtent3D extent = {shape.width, rows, 1};
    const EncoderHandle encoder(context_->shared_api(),
                                api.wgpuDeviceCreateCommandEncoder(context_->device.get(), nullptr));
    api.wgpuCommandEncoderCopyTextureToBuffer(encoder.get(), &source, &target, &extent);
    context_->submit(encoder.get());
    written_ = 0;
    with_mapped(size, [&](const std::byte* from) {
      std::byte* to = bytes.data() + (std::uint64_t{layer} * shape.height + row) * shape.row_bytes;
      for (std::uint32_t i = 0; i < rows; ++i)
        std::memcpy(to + i * shape.row_bytes, from + i * stride, shape.row_bytes);
    });
  });
}

void Transfer::fill_zero(const WebGpuMemory& memory, std::uint64_t offset, std::uint64_t size) {
  if (size == 0) return;
  if (!memory.has_buffer()) return write_texture(memory, {});
  context_->check();
  constexpr std::array<std::byte, word_bytes> zeros = {};
  const std::uint64_t end = offset + size;
  const std::uint64_t first = std::min(round_up(offset, word_bytes), end);
  // What lies behind the memory's end is padding.
  const std::uint64_t last =
      end == memory.bytes() ? memory.padded_bytes() : std::max(first, end / word_bytes * word_bytes);
  if (first > offset) patch_word(memory, offset, std::span(zeros).first(first - offset));
  if (first == end) return;
  if (last > first) {
    const EncoderHandle encoder(context_->shared_api(),
                                context_->api().wgpuDeviceCreateCommandEncoder(context_->device.get(), nullptr));
    context_->api().wgpuCommandEncoderClearBuffer(encoder.get(), memory.buffer(), first, last - first);
    context_->submit(encoder.get());
  }
  if (end > last) patch_word(memory, last, std::span(zeros).first(end - last));
}

}  // namespace driftwood::gpu::webgpu
