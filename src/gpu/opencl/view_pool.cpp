#include "gpu/opencl/view_pool.h"

#include <algorithm>
#include <array>

namespace driftwood::gpu::opencl {
namespace {

constexpr std::array<cl_uint, 1> faulty_vendors = {0x10DE};  // PCI vendor ids: NVIDIA

}  // namespace

ViewPool::~ViewPool() {
  for (Entry& entry : entries_) {
    for (auto& [part, view] : entry.views) view.abandon();
    entry.buffer.abandon();
  }
}

std::optional<ViewPool::Entry> ViewPool::take(std::uint64_t bytes) {
  const auto fits = [&](const Entry& entry) { return entry.bytes >= bytes && entry.bytes / 2 <= bytes; };
  auto best = entries_.end();
  for (auto each = entries_.begin(); each != entries_.end(); ++each) {
    if (fits(*each) && (best == entries_.end() || each->bytes < best->bytes)) best = each;
  }
  if (best == entries_.end()) return std::nullopt;
  Entry entry = std::move(*best);
  entries_.erase(best);
  return entry;
}

bool must_keep_views(const Api& api, cl_device_id device) {
  cl_uint vendor = 0;
  if (api.clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor, nullptr) != CL_SUCCESS) return false;
  return std::ranges::find(faulty_vendors, vendor) != faulty_vendors.end();
}

}  // namespace driftwood::gpu::opencl
