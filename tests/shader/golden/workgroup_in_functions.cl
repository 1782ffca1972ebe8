static float workgroup_sum(float value, uint lane, __local float* reduce_scratch) {
  reduce_scratch[lane] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint stride = 32u; stride > 0u; stride /= 2u) {
    if (lane < stride) {
      reduce_scratch[lane] += reduce_scratch[lane + stride];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float result = reduce_scratch[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result;
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void sums(__global float* y, ulong y_offset) {
  __local float reduce_scratch[64];
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint3 local_ = (uint3)(get_local_id(0), get_local_id(1), get_local_id(2));
  const float a = workgroup_sum(y[local_.x], local_.x, reduce_scratch);
  const float b = workgroup_sum(y[local_.x] * a, local_.x, reduce_scratch);
  y[local_.x] = b;
}
