#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void literals(device float4* f [[buffer(0)]], device int4* i [[buffer(1)]], device uint2* u [[buffer(2)]],
                     uint3 id [[thread_position_in_grid]]) {
  f[id.x] = float4(1.0f, -2.5f, 1e-30f, 16777216.0f);
  f[id.x + 1u] = float4(f[id.x].x);
  f[id.x + 2u] = float4(f[id.x].xy, f[id.x].zw);
  f[id.x + 3u] = float4(f[id.x].wzy, 0.1f);
  i[id.x] = int4(int(0x80000000u), 2147483647, 0, -1);
  i[id.x + 1u] = int4(7);
  u[id.x] = uint2(4294967295u, 0u);
  u[id.x + 1u] = uint2(0u);
}
