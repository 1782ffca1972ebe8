#include "gpu/opencl/transfer.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "gpu/opencl/status.h"

namespace driftwood::gpu::opencl {
namespace {

// A write of at most this size is copied and does not wait for the queue: a token, a parameter block, the latents of a
// picture of 1024 x 1024, with which a device would else stand idle until the host has been woken.
constexpr std::size_t small_bytes = 256u << 10;
constexpr std::size_t pending_limit = 1u << 20;
// On an H200's link pageable memory reaches 7.1 GB/s and pinned memory 55, but one thread fills pinned memory with only
// 8.4. Two pieces of 16 MiB in turn, each filled by several threads, reach 14 GB/s with 2, 23 with 4 and 28 with 8.
// Below 4 MiB the driver's own path is as good.
constexpr std::size_t staging_bytes = 16u << 20;
constexpr std::size_t staged_from = 4u << 20;
constexpr unsigned max_copy_threads = 8;

// memcpy on half of the host's cores. The source may be a mapped file: its page faults are shared out as well.
void copy_with_threads(std::byte* to, std::span<const std::byte> from) {
  share_out(from.size(), host_threads(2 * max_copy_threads) / 2, [to, from](std::size_t first, std::size_t end) {
    std::memcpy(to + first, from.data() + first, end - first);
  });
}

struct TextureRegion {
  std::array<std::size_t, 3> origin = {0, 0, 0};
  std::array<std::size_t, 3> size = {1, 1, 1};
};

TextureRegion whole(const MemoryDescriptor& descriptor) {
  TextureRegion region;
  for (std::size_t i = 0; i < static_cast<std::size_t>(coordinate_count(descriptor.kind)); ++i) {
    region.size[i] = descriptor.extent[i];
  }
  return region;
}

}  // namespace

Transfer::Transfer(std::shared_ptr<Context> context, bool shares_host_memory)
    : context_(std::move(context)), shares_host_memory_(shares_host_memory) {}

Transfer::~Transfer() {
  for (Staging& staging : staging_) {
    if (staging.mapped == nullptr) continue;
    context_->api->clEnqueueUnmapMemObject(context_->queue.get(), staging.buffer.get(), staging.mapped, 0, nullptr,
                                           nullptr);
  }
  // The copies of small writes must outlive the commands that read them.
  context_->api->clFinish(context_->queue.get());
}

void Transfer::wait(EventHandle& event) {
  if (!event) return;
  const cl_event raw = event.get();
  const cl_int status = context_->api->clWaitForEvents(1, &raw);
  event.reset();
  check(status, "Waiting for a copy to the device");
}

bool Transfer::prepare_staging() {
  const Api& api = *context_->api;
  for (Staging& staging : staging_) {
    if (staging.mapped != nullptr) continue;
    cl_int status = CL_SUCCESS;
    MemHandle buffer(context_->api,
                     api.clCreateBuffer(context_->context.get(), CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR,
                                        staging_bytes, nullptr, &status));
    if (status != CL_SUCCESS) return false;
    void* mapped = api.clEnqueueMapBuffer(context_->queue.get(), buffer.get(), CL_TRUE, CL_MAP_WRITE, 0, staging_bytes,
                                          0, nullptr, nullptr, &status);
    if (status != CL_SUCCESS) return false;
    staging.buffer = std::move(buffer);
    staging.mapped = static_cast<std::byte*>(mapped);
  }
  return true;
}

void Transfer::write_staged(OpenClMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes) {
  const Api& api = *context_->api;
  std::size_t turn = 0;
  for (std::size_t done = 0; done < bytes.size(); ++turn) {
    Staging& staging = staging_[turn % staging_.size()];
    const std::size_t piece = std::min(staging_bytes, bytes.size() - done);
    wait(staging.busy);
    copy_with_threads(staging.mapped, bytes.subspan(done, piece));
    cl_event event = nullptr;
    check(api.clEnqueueWriteBuffer(context_->queue.get(), memory.buffer(), CL_FALSE, offset + done, piece,
                                   staging.mapped, 0, nullptr, &event),
          "A write to the device");
    staging.busy = EventHandle(context_->api, event);
    check(api.clFlush(context_->queue.get()), "Flushing the queue");
    done += piece;
  }
}

void Transfer::write_buffer(OpenClMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes) {
  const Api& api = *context_->api;
  if (bytes.empty()) return;
  if (!shares_host_memory_ && bytes.size() >= staged_from && prepare_staging()) {
    write_staged(memory, offset, bytes);
    return;
  }
  const bool is_small = bytes.size() <= small_bytes && pending_bytes_ + bytes.size() <= pending_limit;
  const std::byte* source = bytes.data();
  if (is_small) {
    source = pending_.emplace_back(bytes.begin(), bytes.end()).data();
    pending_bytes_ += bytes.size();
  }
  check(api.clEnqueueWriteBuffer(context_->queue.get(), memory.buffer(), is_small ? CL_FALSE : CL_TRUE, offset,
                                 bytes.size(), source, 0, nullptr, nullptr),
        "A write to the device");
  if (!is_small) release_pending();
}

void Transfer::write_texture(OpenClMemory& memory, std::span<const std::byte> bytes) {
  const TextureRegion region = whole(memory.descriptor());
  check(context_->api->clEnqueueWriteImage(context_->queue.get(), memory.image(), CL_TRUE, region.origin.data(),
                                           region.size.data(), 0, 0, bytes.data(), 0, nullptr, nullptr),
        "A write to an image");
  release_pending();
}

void Transfer::read_buffer(const OpenClMemory& memory, std::uint64_t offset, std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  check(context_->api->clEnqueueReadBuffer(context_->queue.get(), memory.buffer(), CL_TRUE, offset, bytes.size(),
                                           bytes.data(), 0, nullptr, nullptr),
        "A read from the device");
  release_pending();
}

void Transfer::read_texture(const OpenClMemory& memory, std::span<std::byte> bytes) {
  const TextureRegion region = whole(memory.descriptor());
  check(context_->api->clEnqueueReadImage(context_->queue.get(), memory.image(), CL_TRUE, region.origin.data(),
                                          region.size.data(), 0, 0, bytes.data(), 0, nullptr, nullptr),
        "A read from an image");
  release_pending();
}

void Transfer::release_pending() {
  pending_.clear();
  pending_bytes_ = 0;
}

}  // namespace driftwood::gpu::opencl
