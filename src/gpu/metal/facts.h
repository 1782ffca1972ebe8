// What a Metal device says of itself. Objective-C++.
#pragma once

#import <Metal/Metal.h>

#include "gpu/device.h"

namespace driftwood::gpu::metal {

DeviceClass class_of(id<MTLDevice> device);

/// All but the id.
DeviceFacts query_facts(id<MTLDevice> device);

}  // namespace driftwood::gpu::metal
