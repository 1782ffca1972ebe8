// What the objects of a Metal device share: the device, its queue and the work in flight. Objective-C++.
#pragma once

#import <Metal/Metal.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/device.h"

namespace driftwood::gpu::metal {

struct Context {
  id<MTLDevice> device = nil;
  id<MTLCommandQueue> queue = nil;
  DeviceFacts facts;
  std::uint64_t allocated = 0;
  std::vector<id<MTLCommandBuffer>> in_flight;  // in order

  /// A command buffer of the queue. Throws DeviceLost where there is none to be had.
  id<MTLCommandBuffer> begin();
  /// Hands it to the device; it runs after all that was committed before.
  void commit(id<MTLCommandBuffer> commands);
  /// True where nothing that was committed still runs. Throws what failed.
  bool is_idle();
  /// Waits for all that was committed. Throws DeviceLost or OutOfMemory where some of it failed.
  void wait();

 private:
  void check(id<MTLCommandBuffer> commands);
};

/// The text of an NSString, or of an NSError's description; empty for nil.
std::string text_of(NSString* text);
std::string text_of(NSError* error);

}  // namespace driftwood::gpu::metal
