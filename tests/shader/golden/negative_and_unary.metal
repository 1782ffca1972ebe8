#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void unary(device int* i [[buffer(0)]], device float* f [[buffer(1)]]) {
  i[0] = (int)(-(uint)i[1] - -(uint)i[2]);
  i[3] = ~i[1] & ~(i[2] | 1);
  i[4] = (int)((uint)i[1] - -5);
  i[5] = (int)((uint)i[1] + int(0x80000000u));
  f[0] = -f[1] * -f[2] - -2.5f;
  f[3] = -(f[1] + f[2]);
  i[6] = -(i[1] & 7);
  f[4] = !(f[1] < f[2]) ? 2.0f : 1.0f;
  f[5] = i[1] >= i[2] ? 2.0f : 1.0f;
}
