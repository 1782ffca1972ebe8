#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void selects(device float4* f [[buffer(0)]], device float* s [[buffer(1)]]) {
  s[0] = s[3] > 0.0f ? s[2] : s[1];
  s[4] = (s[3] > 0.0f ? (s[6] < 1.0f ? s[5] : s[2]) : s[1]) + 1.0f;
  f[0] = s[0] == 0.0f ? f[2] : f[1];
  f[3] = select(f[1], f[2], f[1] <= f[2]);
  s[7] = s[2];
}
