#include <metal_stdlib>

using namespace metal;

struct Parameters {
  uint count;
  uint start;
  float4 scale;
};

[[max_total_threads_per_threadgroup(32)]]
kernel void uniforms(constant Parameters* parameters [[buffer(0)]], device float4* y [[buffer(1)]],
                     uint3 id [[thread_position_in_grid]]) {
  if (id.x >= parameters->count + parameters->start) {
    return;
  }
  y[id.x] *= parameters->scale;
}
