#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(16)]]
kernel void bounded(device int* y [[buffer(0)]], device const uint* words [[buffer(1)]],
                    uint3 local [[thread_position_in_threadgroup]]) {
  const uint word = words[local.x];
  y[0] = int(local.x) * 8 + 3;
  y[1] = int(word & 15u) - 8;
  y[2] = (int(word >> 28u) - 8) * 127;
  y[3] = -int(word & 255u);
  y[4] = y[5] / (int(word & 3u) + 1);
  y[6] = clamp(y[7], -128, 127) * 256 + 128;
  y[8] = popcount(y[9]) * 4 - 1;
  y[int(word) * 4 + 1] = 0;
}
