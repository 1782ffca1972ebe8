#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(8)]]
kernel void bytes(device const char4* x [[buffer(0)]], device const uchar4* u [[buffer(1)]],
                  device char4* y [[buffer(2)]], device float4* z [[buffer(3)]], uint3 id [[thread_position_in_grid]]) {
  const int4 v = int4(x[id.x * 5u]);
  y[id.x * 5u] = char4(as_type<int4>(as_type<uint4>(v) + uint4(u[id.x * 5u])));
  z[id.x * 5u] = float4(v);
}
