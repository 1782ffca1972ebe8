#include "gpu/metal/context.h"

#include <fmt/format.h>

#include "base/error.h"

namespace driftwood::gpu::metal {

std::string text_of(NSString* text) {
  const char* characters = text == nil ? nullptr : [text UTF8String];
  return characters == nullptr ? "" : characters;
}

std::string text_of(NSError* error) { return error == nil ? "" : text_of([error localizedDescription]); }

id<MTLCommandBuffer> Context::begin() {
  id<MTLCommandBuffer> commands = [queue commandBuffer];
  if (commands == nil) throw DeviceLost(fmt::format("The device '{}' gives no command buffer.", facts.id));
  return commands;
}

void Context::commit(id<MTLCommandBuffer> commands) {
  [commands commit];
  in_flight.push_back(commands);
  is_idle();
}

void Context::check(id<MTLCommandBuffer> commands) {
  if ([commands status] != MTLCommandBufferStatusError) return;
  NSError* const error = [commands error];
  const bool is_memory = error != nil && [error code] == static_cast<NSInteger>(MTLCommandBufferErrorOutOfMemory);
  const std::string message = fmt::format("Work on the device '{}' fails: {}", facts.id,
                                          error == nil ? "the driver gives no reason." : text_of(error));
  in_flight.clear();
  if (is_memory) throw OutOfMemory(message);
  throw DeviceLost(message);
}

bool Context::is_idle() {
  std::size_t done = 0;
  while (done < in_flight.size() && [in_flight[done] status] >= MTLCommandBufferStatusCompleted)
    check(in_flight[done++]);
  in_flight.erase(in_flight.begin(), in_flight.begin() + static_cast<std::ptrdiff_t>(done));
  return in_flight.empty();
}

void Context::wait() {
  if (in_flight.empty()) return;
  [in_flight.back() waitUntilCompleted];
  is_idle();
}

}  // namespace driftwood::gpu::metal
