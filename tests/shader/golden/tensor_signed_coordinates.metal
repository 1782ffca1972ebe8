#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void blur(device const float4* x [[buffer(0)]], device float4* y [[buffer(1)]],
                 uint3 id [[thread_position_in_grid]]) {
  const int3 at = int3(id);
  float4 sum = float4(0.0f);
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      const int row = (int)((uint)at.y + dy);
      const int column = (int)((uint)at.x + dx);
      if (row >= 0 && row < 6 && column >= 0 && column < 6) {
        sum += x[(at.z * 6 + row) * 6 + column];
      }
    }
  }
  y[(at.z * 6 + at.y) * 6 + at.x] = sum / 9.0f;
}
