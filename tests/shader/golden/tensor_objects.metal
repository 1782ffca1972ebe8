#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void gather(texture2d<float, access::read> x_0 [[texture(0)]],
                   texture2d<float, access::read> x_1 [[texture(1)]], device float4* y [[buffer(2)]],
                   uint3 id [[thread_position_in_grid]]) {
  y[id.z * 5u + id.y] = x_1.read(uint2(id.y, id.z * 4u));
  float4 x_load_result_1 = float4(0.0f);
  if (id.x % 2u == 0u) {
    x_load_result_1 = x_0.read(uint2(id.y, id.z * 4u + id.x / 2u));
  } else {
    x_load_result_1 = x_1.read(uint2(id.y, id.z * 4u + id.x / 2u));
  }
  y[(id.z + 3u) * 5u + id.y] = x_load_result_1;
}
