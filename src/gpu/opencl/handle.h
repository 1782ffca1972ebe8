// Owners of OpenCL objects, released through the table of the driver that made them.
#pragma once

#include <memory>
#include <utility>

#include "gpu/opencl/loader.h"

namespace driftwood::gpu::opencl {

/// Holds one reference to an OpenCL object and the driver's functions.
template <class T, auto Release>
class Handle {
 public:
  Handle() = default;
  Handle(std::shared_ptr<const Api> api, T object) : api_(std::move(api)), object_(object) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : api_(std::move(other.api_)), object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      api_ = std::move(other.api_);
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  T get() const { return object_; }
  /// Gives the object up without releasing it.
  void abandon() { object_ = nullptr; }
  explicit operator bool() const { return object_ != nullptr; }
  void reset() {
    if (object_ != nullptr) ((*api_).*Release)(object_);
    object_ = nullptr;
  }

 private:
  std::shared_ptr<const Api> api_;
  T object_ = nullptr;
};

using ContextHandle = Handle<cl_context, &Api::clReleaseContext>;
using QueueHandle = Handle<cl_command_queue, &Api::clReleaseCommandQueue>;
using MemHandle = Handle<cl_mem, &Api::clReleaseMemObject>;
using ProgramHandle = Handle<cl_program, &Api::clReleaseProgram>;
using KernelHandle = Handle<cl_kernel, &Api::clReleaseKernel>;
using EventHandle = Handle<cl_event, &Api::clReleaseEvent>;

}  // namespace driftwood::gpu::opencl
