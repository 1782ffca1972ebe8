// What a WebGPU device says of itself, in the form of DeviceFacts.
#pragma once

#include "gpu/device.h"
#include "gpu/webgpu/context.h"

namespace driftwood::gpu::webgpu {

/// Software where the adapter says CPU or is known as one, whatever it says.
DeviceClass class_of(const AdapterInfo& info);

/// `id` stays empty.
DeviceFacts query_facts(const Context& context);

}  // namespace driftwood::gpu::webgpu
