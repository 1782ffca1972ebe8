#include <metal_stdlib>

using namespace metal;

static int4 saturated_int4(float4 x) {
  return select(int4(select(fmin(fmax(x, float4(-2147483648.0f)), float4(2147483520.0f)), float4(0.0f), x != x)), int4(2147483647), x >= float4(2147483648.0f));
}

[[max_total_threads_per_threadgroup(64)]]
kernel void halves(device const half4* x [[buffer(0)]], device half4* y [[buffer(1)]], device float* z [[buffer(2)]],
                   uint k [[thread_index_in_threadgroup]]) {
  threadgroup half4 tile[64];
  const half4 a = x[k];
  tile[k] = a;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const half4 b = tile[63u - k] * 0.5h + half4(float4(float(a.x)));
  y[k] = select(fmin(a, b), fma(a, b, half4(1.0h)), a < b);
  y[k + 64u] = half4(saturated_int4(float4(b))) + half4(-2.0h);
  z[k] = float(dot(a, b)) + as_type<float>(a.xy);
  y[0].x = fmod(half(z[0]), 2.0h) + saturate(a.y);
}
