#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void numbers(device float* f [[buffer(0)]], device uint* u [[buffer(1)]]) {
  f[0] = 349525.34f;
  u[0] = 1048577u;
  f[1] = f[0] * 2.0f + 0.33333334f;
  u[1] = u[0] > 3u ? 2u : 1u;
}
