#include <metal_stdlib>

using namespace metal;

constant float table_0[16] = {-127.0f, -104.0f, -83.0f, -65.0f, -49.0f, -35.0f, -22.0f, -10.0f, 1.0f, 13.0f, 25.0f, 38.0f, 53.0f, 69.0f, 89.0f, 113.0f};
constant float2 table_1[3] = {float2(0.0f), float2(1.0f, 0.0f), float2(0.0f, 1.0f)};

[[max_total_threads_per_threadgroup(32)]]
kernel void decode(device const uint* words [[buffer(0)]], device float* y [[buffer(1)]],
                   uint3 id [[thread_position_in_grid]]) {
  const uint word = words[id.x];
  y[id.x * 2u] = table_0[word & 15u];
  y[id.x * 2u + 1u] = table_0[(word >> 4u) & 15u] + table_1[word % 3u].y;
  y[0] = -65.0f;
}
