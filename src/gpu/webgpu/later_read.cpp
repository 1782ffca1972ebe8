#include "gpu/webgpu/later_read.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "base/error.h"

namespace driftwood::gpu::webgpu {

/// A buffer that can be mapped, and what the library says of the mapping. It stays where it is while that is out.
struct LaterReads::Staging {
  BufferHandle buffer;
  bool done = false;
  WGPUMapAsyncStatus status = WGPUMapAsyncStatus_Error;
  std::string message;
};

class LaterReads::Pending final : public PendingRead {
 public:
  Pending(std::shared_ptr<Context> context, std::shared_ptr<std::vector<std::unique_ptr<Staging>>> free,
          std::unique_ptr<Staging> staging, std::size_t size)
      : context_(std::move(context)), free_(std::move(free)), staging_(std::move(staging)), bytes_(size) {}
  ~Pending() override {
    if (!staging_) return;
    try {
      if (answered()) unmap();
    } catch (const Error&) {
      // Lost: the buffer goes with the device.
    }
    if (staging_ && !staging_->done) static_cast<void>(staging_.release());  // the answer may still come
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  void start(const WebGpuMemory& memory, std::uint64_t offset) {
    const Api& api = context_->api();
    const EncoderHandle encoder(context_->shared_api(),
                                api.wgpuDeviceCreateCommandEncoder(context_->device.get(), nullptr));
    api.wgpuCommandEncoderCopyBufferToBuffer(encoder.get(), memory.buffer(), offset, staging_->buffer.get(), 0,
                                             bytes_.size());
    context_->submit(encoder.get());
    staging_->done = false;
    WGPUBufferMapCallbackInfo callback = {};
    callback.mode = context_->instance->wait_mode();
    callback.callback = [](WGPUMapAsyncStatus status, WGPUStringView message, void* staging, void*) {
      auto& its = *static_cast<Staging*>(staging);
      its.status = status;
      its.message = text_of(message);
      its.done = true;
    };
    callback.userdata1 = staging_.get();
    future_ = api.wgpuBufferMapAsync(staging_->buffer.get(), WGPUMapMode_Read, 0, bytes_.size(), callback);
  }

  std::span<const std::byte> wait() override {
    if (!staging_) return bytes_;
    const bool is_answered = answered();
    context_->check();
    if (!is_answered) throw DeviceLost("The device does not answer when memory is to be read.");
    const void* mapped = nullptr;
    if (staging_->status == WGPUMapAsyncStatus_Success) {
      mapped = context_->api().wgpuBufferGetConstMappedRange(staging_->buffer.get(), 0, bytes_.size());
    }
    if (mapped == nullptr) {
      throw DeviceLost(fmt::format("Reading {} bytes from the device fails: {}.", bytes_.size(),
                                   staging_->message.empty() ? "it gives no reason" : first_lines(staging_->message)));
    }
    std::memcpy(bytes_.data(), mapped, bytes_.size());
    unmap();
    return bytes_;
  }

 private:
  /// Waits for this mapping alone: Instance::wait would wait for all that is in the queue where the library has no
  /// better way.
  bool answered() {
    const Instance& instance = *context_->instance;
    const Api& api = context_->api();
    if (instance.wait_mode() == WGPUCallbackMode_WaitAnyOnly || api.poll == nullptr)
      return instance.wait(future_, staging_->done, context_->device.get());
    while (!staging_->done) {
      api.poll(context_->device.get(), 0, nullptr);
      api.wgpuInstanceProcessEvents(instance.get());
      if (!staging_->done) std::this_thread::sleep_for(std::chrono::microseconds(20));
      context_->check();
    }
    return true;
  }
  void unmap() {
    if (staging_->status != WGPUMapAsyncStatus_Success) return;
    context_->api().wgpuBufferUnmap(staging_->buffer.get());
    free_->push_back(std::move(staging_));
  }

  std::shared_ptr<Context> context_;
  std::shared_ptr<std::vector<std::unique_ptr<Staging>>> free_;
  std::unique_ptr<Staging> staging_;
  std::vector<std::byte> bytes_;
  WGPUFuture future_ = {};
};

LaterReads::LaterReads(std::shared_ptr<Context> context)
    : context_(std::move(context)), free_(std::make_shared<std::vector<std::unique_ptr<Staging>>>()) {}

std::unique_ptr<PendingRead> LaterReads::read(const WebGpuMemory& memory, std::uint64_t offset, std::size_t size) {
  context_->check();
  std::unique_ptr<Staging> staging;
  if (!free_->empty()) {
    staging = std::move(free_->back());
    free_->pop_back();
  } else {
    ErrorScope scope(*context_->instance, context_->device.get());
    WGPUBufferDescriptor descriptor = {};
    descriptor.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst;
    descriptor.size = most_bytes;
    staging = std::make_unique<Staging>();
    staging->buffer = BufferHandle(context_->shared_api(),
                                   context_->api().wgpuDeviceCreateBuffer(context_->device.get(), &descriptor));
    scope.check(fmt::format("The allocation of {} bytes for reading", descriptor.size));
  }
  auto pending = std::make_unique<Pending>(context_, free_, std::move(staging), size);
  pending->start(memory, offset);
  return pending;
}

}  // namespace driftwood::gpu::webgpu
