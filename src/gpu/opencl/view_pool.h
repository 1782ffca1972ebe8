// Buffers with sub-buffers whose driver must not be asked to release them, kept for the next allocation.
//
// NVIDIA's driver 580.159.04 ends the process in clReleaseMemObject of a sub-buffer (it reads through a null pointer),
// whether the parent, the kernels or the queue went first or not; buffers without sub-buffers are released without
// harm. A buffer that was viewed in parts is therefore kept with its views and serves a later buffer of that size, so
// that what is held stays what was in use at most. Which drivers those are is data: faulty_vendors in view_pool.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "gpu/opencl/handle.h"

namespace driftwood::gpu::opencl {

using BufferViews = std::map<std::tuple<std::uint64_t, std::uint64_t>, MemHandle>;  // by offset and size

class ViewPool {
 public:
  struct Entry {
    MemHandle buffer;
    BufferViews views;
    std::uint64_t bytes = 0;
  };

  ViewPool() = default;
  ViewPool(const ViewPool&) = delete;
  ViewPool& operator=(const ViewPool&) = delete;
  /// Gives the objects up without releasing them; the process's end does.
  ~ViewPool();

  /// A kept buffer of at least `bytes` and at most twice that, the smallest there is.
  std::optional<Entry> take(std::uint64_t bytes);
  void keep(Entry entry) { entries_.push_back(std::move(entry)); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<Entry> entries_;
};

/// Whether this device's driver must keep sub-buffers.
bool must_keep_views(const Api& api, cl_device_id device);

}  // namespace driftwood::gpu::opencl
