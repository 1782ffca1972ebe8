// What tests of devices do with one: values into buffers and out of them, and work that is recorded and run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gpu/device.h"

namespace driftwood::test {

class DeviceWork {
 public:
  virtual ~DeviceWork() = default;

 protected:
  virtual gpu::Device& device() = 0;

  template <class T>
  std::shared_ptr<gpu::Memory> buffer_of(const std::vector<T>& values) {
    auto memory = device().allocate({.bytes = values.size() * sizeof(T)});
    device().write(*memory, 0, std::as_bytes(std::span(values)));
    return memory;
  }
  template <class T>
  std::vector<T> values_of(const gpu::Memory& memory, std::size_t count, std::uint64_t offset = 0) {
    std::vector<T> values(count);
    device().read(memory, offset, std::as_writable_bytes(std::span(values)));
    return values;
  }
  void run(std::vector<gpu::Dispatch> dispatches) {
    const auto recording = device().record(std::move(dispatches));
    device().submit(*recording);
  }
};

}  // namespace driftwood::test
