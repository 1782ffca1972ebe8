#include <metal_stdlib>

using namespace metal;

struct Head {
  uint a;
  uint b;
  float3 c;
  float4 d;
};

[[max_total_threads_per_threadgroup(1)]]
kernel void padding(device Head* h [[buffer(0)]]) {
  h[1].c = h[0].c + h[0].d.xyz * float(h[0].a + h[0].b);
}
