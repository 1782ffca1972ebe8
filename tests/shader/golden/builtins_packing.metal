#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void packing(device uint* u [[buffer(0)]], device float4* f [[buffer(1)]], device int4* i [[buffer(2)]]) {
  u[0] = as_type<uint>(half2(f[0].xy));
  f[1] = float4(float2(as_type<half2>(u[1])), float2(as_type<half2>(u[2])));
  u[3] = as_type<uint>(char4(floor(0.5f + 127.0f * clamp(f[2], float4(-1.0f), float4(1.0f)))));
  f[3] = fmax(float4(as_type<char4>(u[4])) / 127.0f, float4(-1.0f));
  u[5] = as_type<uint>(uchar4(floor(0.5f + 255.0f * saturate(f[4]))));
  f[5] = float4(as_type<uchar4>(u[6])) / 255.0f;
  u[7] = as_type<uint>(char4(i[0]));
  u[8] = as_type<uint>(char4(clamp(i[1], int4(-128), int4(127))));
  u[9] = as_type<uint>(uchar4(uint4(i[2])));
  u[10] = as_type<uint>(uchar4(min(uint4(i[3]), uint4(255u))));
  i[4] = int4(as_type<char4>(u[11]));
  i[5] = int4(uint4(as_type<uchar4>(u[12])));
}
