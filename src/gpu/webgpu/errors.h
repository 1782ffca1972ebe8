// What a library reports of a device, as typed errors.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "gpu/webgpu/instance.h"

namespace driftwood::gpu::webgpu {

/// What was reported of a device and by no scope caught. Callbacks may come at any time and from any thread, even after
/// the device is released, so that the object lives until the process ends.
class DeviceReports {
 public:
  static DeviceReports* make();

  void set_id(std::string id);
  void lose(WGPUDeviceLostReason reason, std::string message);
  void add(WGPUErrorType type, std::string message);
  bool is_lost() const;
  /// Throws what was reported: DeviceLost again and again, another error once.
  void check();

 private:
  mutable std::mutex mutex_;
  std::string id_;
  bool is_lost_ = false;
  std::string loss_;
  WGPUErrorType type_ = WGPUErrorType_NoError;
  std::string message_;
};

/// The first lines of a library's message, without the dump of labels that may follow.
std::string first_lines(std::string_view message);

/// Throws InternalError, OutOfMemory or DeviceLost as `type` says: "`what` fails: message".
[[noreturn]] void throw_error(WGPUErrorType type, std::string_view what, std::string_view message);

/// Catches the errors of the calls made while it lives, in place of the device's reports.
class ErrorScope {
 public:
  ErrorScope(const Instance& instance, WGPUDevice device);
  ~ErrorScope();
  ErrorScope(const ErrorScope&) = delete;
  ErrorScope& operator=(const ErrorScope&) = delete;

  struct Caught {
    WGPUErrorType type = WGPUErrorType_NoError;
    std::string message;
  };
  /// Ends the scope.
  Caught end();
  /// Ends the scope; throws what it caught: "`what` fails: ...".
  void check(std::string_view what);

 private:
  const Instance& instance_;
  WGPUDevice device_;
  bool is_open_ = true;
};

}  // namespace driftwood::gpu::webgpu
