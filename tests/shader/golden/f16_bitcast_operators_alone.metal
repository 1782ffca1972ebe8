#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void scales(device const uint2* words [[buffer(0)]], device half4* y [[buffer(1)]],
                   device uint2* back [[buffer(2)]], device float* f [[buffer(3)]],
                   uint k [[thread_index_in_threadgroup]]) {
  const half4 four = as_type<half4>(words[k]);
  const half2 pair = as_type<half2>(words[k].x);
  y[k] = four * pair.x;
  back[k] = as_type<uint2>(four + 1.0h);
  f[k] = as_type<float>(pair * 2.0h);
  back[k].x = as_type<uint>(pair);
}
