// An owner of a driver's object, released through the table of functions of the driver that made it.
#pragma once

#include <memory>
#include <utility>

namespace driftwood::gpu {

/// Holds one reference to an object of a driver and the driver's functions.
template <class Api, class T, auto Release>
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

}  // namespace driftwood::gpu
