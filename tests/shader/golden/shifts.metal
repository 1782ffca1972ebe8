#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void shifts(device int* x [[buffer(0)]], device uint2* u [[buffer(1)]]) {
  x[1] = x[0] << 4u;
  x[2] = x[0] >> 31u;
  x[3] = x[0] >> (u[0].x & 31u);
  u[1] = u[0] << (u[2] & 31u);
  u[3] = (u[0] >> uint2(4u)) & uint2(15u);
  x[4] <<= 2u;
}
