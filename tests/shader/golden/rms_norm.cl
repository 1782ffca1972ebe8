static float workgroup_sum(float value, uint lane, __local float* reduce_scratch) {
  reduce_scratch[lane] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint stride = 16u; stride > 0u; stride /= 2u) {
    if (lane < stride) {
      reduce_scratch[lane] += reduce_scratch[lane + stride];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float result = reduce_scratch[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result;
}

__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void rms_norm(__global const float4* restrict x, __global const float4* restrict gamma, __global half* y,
                       ulong x_offset, ulong gamma_offset, ulong y_offset) {
  __local float reduce_scratch[32];
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  gamma = (__global const float4*)((__global const uchar*)gamma + gamma_offset);
  y = (__global half*)((__global uchar*)y + y_offset);
  const uint3 at = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
  const uint3 local_ = (uint3)(get_local_id(0), get_local_id(1), get_local_id(2));
  float squares = 0.0f;
  for (uint s = local_.x; s < 144u; s += 32u) {
    const float4 v = x[s * 4u + at.x];
    squares += dot(v, v);
  }
  const float scale = rsqrt(workgroup_sum(squares, local_.x, reduce_scratch) / 576.0f + 1e-5f);
  for (uint s_1 = local_.x; s_1 < 144u; s_1 += 32u) {
    vstore_half4_rte(x[s_1 * 4u + at.x] * scale * gamma[s_1], s_1 * 4u + at.x, y);
  }
}
