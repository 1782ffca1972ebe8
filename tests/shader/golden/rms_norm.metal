#include <metal_stdlib>

using namespace metal;

static float workgroup_sum(float value, uint lane, threadgroup float* reduce_scratch) {
  reduce_scratch[lane] = value;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint stride = 16u; stride > 0u; stride /= 2u) {
    if (lane < stride) {
      reduce_scratch[lane] += reduce_scratch[lane + stride];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  const float result = reduce_scratch[0];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return result;
}

[[max_total_threads_per_threadgroup(32)]]
kernel void rms_norm(device const float4* x [[buffer(0)]], device const float4* gamma [[buffer(1)]],
                     device half4* y [[buffer(2)]], uint3 at [[threadgroup_position_in_grid]],
                     uint3 local [[thread_position_in_threadgroup]]) {
  threadgroup float reduce_scratch[32];
  float squares = 0.0f;
  for (uint s = local.x; s < 144u; s += 32u) {
    const float4 v = x[s * 4u + at.x];
    squares += dot(v, v);
  }
  const float scale = precise::rsqrt(workgroup_sum(squares, local.x, reduce_scratch) / 576.0f + 1e-5f);
  for (uint s_1 = local.x; s_1 < 144u; s_1 += 32u) {
    y[s_1 * 4u + at.x] = half4(x[s_1 * 4u + at.x] * scale * gamma[s_1]);
  }
}
