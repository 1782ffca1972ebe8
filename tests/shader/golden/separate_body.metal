#include <metal_stdlib>

using namespace metal;

static uint bump(thread uint* calls) {
  *calls += 2u;
  return *calls;
}

[[max_total_threads_per_threadgroup(1)]]
kernel void separate_body(device const float* a [[buffer(0)]], device float* b [[buffer(1)]],
                          constant uint* array_lengths [[buffer(30)]], uint3 at [[threadgroup_position_in_grid]]) {
  const uint a_length = array_lengths[0];
  uint calls = 1u;
  if (at.x < a_length) {
    const float value = a[at.x];
    const float value_1 = float(bump(&calls));
    b[at.x] = value * value_1;
  }
}
