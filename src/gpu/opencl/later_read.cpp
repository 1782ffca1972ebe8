#include "gpu/opencl/later_read.h"

#include <algorithm>
#include <array>
#include <vector>

#include "gpu/opencl/status.h"

namespace driftwood::gpu::opencl {

/// Pinned memory in places: a copy to pageable memory may keep the host until it is done, whatever it was told.
class LaterReads::Pinned {
 public:
  static constexpr std::size_t place_bytes = 64, places = 64;

  explicit Pinned(std::shared_ptr<Context> context) : context_(std::move(context)) {
    const Api& api = *context_->api;
    cl_int status = CL_SUCCESS;
    MemHandle buffer(context_->api,
                     api.clCreateBuffer(context_->context.get(), CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR,
                                        place_bytes * places, nullptr, &status));
    if (status != CL_SUCCESS) return;
    void* mapped = api.clEnqueueMapBuffer(context_->queue.get(), buffer.get(), CL_TRUE, CL_MAP_READ, 0,
                                          place_bytes * places, 0, nullptr, nullptr, &status);
    if (status != CL_SUCCESS) return;
    buffer_ = std::move(buffer);
    mapped_ = static_cast<std::byte*>(mapped);
  }
  ~Pinned() {
    if (mapped_ == nullptr) return;
    context_->api->clEnqueueUnmapMemObject(context_->queue.get(), buffer_.get(), mapped_, 0, nullptr, nullptr);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  /// A place that nothing uses; null where there is none.
  std::byte* take() {
    if (mapped_ == nullptr) return nullptr;
    const auto free = std::ranges::find(is_taken_, false);
    if (free == is_taken_.end()) return nullptr;
    *free = true;
    return mapped_ + static_cast<std::size_t>(free - is_taken_.begin()) * place_bytes;
  }
  void give_back(const std::byte* place) { is_taken_[static_cast<std::size_t>(place - mapped_) / place_bytes] = false; }

 private:
  std::shared_ptr<Context> context_;
  MemHandle buffer_;
  std::byte* mapped_ = nullptr;
  std::array<bool, places> is_taken_ = {};
};

class LaterReads::Pending final : public PendingRead {
 public:
  Pending(std::shared_ptr<Context> context, std::shared_ptr<Pinned> pinned, std::size_t size)
      : context_(std::move(context)), pinned_(std::move(pinned)), size_(size) {
    if (pinned_ && size <= Pinned::place_bytes) place_ = pinned_->take();
    if (place_ == nullptr) own_.resize(size);
  }
  ~Pending() override {
    if (event_) {  // the copy still writes there
      const cl_event raw = event_.get();
      context_->api->clWaitForEvents(1, &raw);
    }
    if (place_ != nullptr) pinned_->give_back(place_);
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  void start(cl_mem memory, std::uint64_t offset) {
    const Api& api = *context_->api;
    cl_event event = nullptr;
    check(api.clEnqueueReadBuffer(context_->queue.get(), memory, CL_FALSE, offset, size_, target(), 0, nullptr, &event),
          "A read from the device");
    event_ = EventHandle(context_->api, event);
    check(api.clFlush(context_->queue.get()), "Flushing the queue");
  }
  std::span<const std::byte> wait() override {
    if (event_) {
      const cl_event raw = event_.get();
      const cl_int status = context_->api->clWaitForEvents(1, &raw);
      event_.reset();
      check(status, "Waiting for a read from the device");
    }
    return {target(), size_};
  }

 private:
  std::byte* target() { return place_ != nullptr ? place_ : own_.data(); }

  std::shared_ptr<Context> context_;
  std::shared_ptr<Pinned> pinned_;
  std::size_t size_;
  std::byte* place_ = nullptr;
  std::vector<std::byte> own_;
  EventHandle event_;
};

std::unique_ptr<PendingRead> LaterReads::read(cl_mem memory, std::uint64_t offset, std::size_t size) {
  if (!shares_host_memory_ && !pinned_) pinned_ = std::make_shared<Pinned>(context_);
  auto pending = std::make_unique<Pending>(context_, pinned_, size);
  if (size != 0) pending->start(memory, offset);
  return pending;
}

}  // namespace driftwood::gpu::opencl
