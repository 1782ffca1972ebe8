#include "gpu/webgpu/errors.h"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <span>

#include "base/error.h"

namespace driftwood::gpu::webgpu {
namespace {

constexpr std::size_t most_lines = 8;
constexpr std::size_t most_bytes = 1200;

// wgpu-native has no scope of internal errors: it would end the process.
std::span<const WGPUErrorFilter> scope_filters(const Library& library) {
  static constexpr std::array filters = {WGPUErrorFilter_OutOfMemory, WGPUErrorFilter_Validation,
                                         WGPUErrorFilter_Internal};
  return std::span(filters).first(library.kind == Library::Kind::WgpuNative ? 2 : filters.size());
}

std::string_view to_string(WGPUDeviceLostReason reason) {
  switch (reason) {
    case WGPUDeviceLostReason_Destroyed: return "it was destroyed";
    case WGPUDeviceLostReason_CallbackCancelled: return "its library was shut down";
    case WGPUDeviceLostReason_FailedCreation: return "it could not be made";
    default: return "its driver failed";
  }
}

struct ScopeAnswer {
  bool done = false;
  ErrorScope::Caught caught;
};

void take_error(WGPUPopErrorScopeStatus, WGPUErrorType type, WGPUStringView message, void* answer, void*) {
  auto& result = *static_cast<ScopeAnswer*>(answer);
  result.caught = {type, text_of(message)};
  result.done = true;
}

}  // namespace

DeviceReports* DeviceReports::make() {
  static std::mutex mutex;
  static auto* all = new std::deque<DeviceReports>;  // never destroyed, as the comment in the header says
  const std::lock_guard lock(mutex);
  return &all->emplace_back();
}

void DeviceReports::set_id(std::string id) {
  const std::lock_guard lock(mutex_);
  id_ = std::move(id);
}

void DeviceReports::lose(WGPUDeviceLostReason reason, std::string message) {
  const std::lock_guard lock(mutex_);
  if (is_lost_) return;
  is_lost_ = true;
  loss_ = to_string(reason);
  if (!message.empty()) loss_ += fmt::format(" ({})", first_lines(message));
}

void DeviceReports::add(WGPUErrorType type, std::string message) {
  const std::lock_guard lock(mutex_);
  if (type_ != WGPUErrorType_NoError) return;  // the first is the cause
  type_ = type;
  message_ = std::move(message);
}

bool DeviceReports::is_lost() const {
  const std::lock_guard lock(mutex_);
  return is_lost_;
}

void DeviceReports::check() {
  const std::lock_guard lock(mutex_);
  if (is_lost_) throw DeviceLost(fmt::format("The device '{}' is lost: {}.", id_, loss_));
  if (type_ == WGPUErrorType_NoError) return;
  const WGPUErrorType type = std::exchange(type_, WGPUErrorType_NoError);
  throw_error(type, fmt::format("Work on the device '{}'", id_), std::exchange(message_, {}));
}

std::string first_lines(std::string_view message) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < most_lines && end < message.size(); ++line) {
    end = std::min(message.find('\n', end), message.size());
    if (end < message.size()) ++end;
  }
  std::string result(message.substr(0, std::min(end, most_bytes)));
  while (!result.empty() && (result.back() == '\n' || result.back() == ' ' || result.back() == '.')) result.pop_back();
  return result;
}

void throw_error(WGPUErrorType type, std::string_view what, std::string_view message) {
  const std::string text = fmt::format("{} fails: {}.", what, first_lines(message));
  if (type == WGPUErrorType_OutOfMemory) throw OutOfMemory(text);
  if (type == WGPUErrorType_Unknown) throw DeviceLost(text);
  throw InternalError(text);
}

ErrorScope::ErrorScope(const Instance& instance, WGPUDevice device) : instance_(instance), device_(device) {
  for (const WGPUErrorFilter filter : scope_filters(instance_.library()))
    instance_.api().wgpuDevicePushErrorScope(device_, filter);
}

ErrorScope::~ErrorScope() { end(); }

ErrorScope::Caught ErrorScope::end() {
  Caught first;
  if (!is_open_) return first;
  is_open_ = false;
  for (std::size_t i = 0; i < scope_filters(instance_.library()).size(); ++i) {
    auto answer = std::make_unique<ScopeAnswer>();
    WGPUPopErrorScopeCallbackInfo callback = {};
    callback.mode = instance_.wait_mode();
    callback.callback = take_error;
    callback.userdata1 = answer.get();
    if (!instance_.wait(instance_.api().wgpuDevicePopErrorScope(device_, callback), answer->done, device_)) {
      answer.release();  // the answer may still come
    } else if (first.type == WGPUErrorType_NoError) {
      first = std::move(answer->caught);
    }
  }
  return first;
}

void ErrorScope::check(std::string_view what) {
  const Caught caught = end();
  if (caught.type != WGPUErrorType_NoError) throw_error(caught.type, what, caught.message);
}

}  // namespace driftwood::gpu::webgpu
