#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void double_(device const float4* x [[buffer(0)]], texture2d<float, access::write> y [[texture(1)]],
                    uint3 id [[thread_position_in_grid]]) {
  y.write(float4(half4(x[(id.x * 3u + id.z) * 5u + id.y] * 2.0f)), uint2(id.y, id.z * 3u + id.x));
}
