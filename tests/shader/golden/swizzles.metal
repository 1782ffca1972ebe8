#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void swizzles(device float4* v [[buffer(0)]]) {
  const float4 a = v[0];
  v[1] = a.xxyy + a.wzyx;
  v[2] = float4(a.xyz, a.w);
  v[3] = (a + v[4]).wzyx;
  v[5] = float4(a.x, a.y, a.w, a.w);
  float4 b = v[6];
  b.x = a.y;
  b.w += 1.0f;
  v[7] = b;
}
