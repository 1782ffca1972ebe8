typedef struct {
  uint half_;
  uint total;
} device_counts;

__attribute__((reqd_work_group_size(4, 1, 1)))
__kernel void visible(__global float* y, __global const device_counts* restrict thread, uint thread_length,
                      ulong y_offset, ulong thread_offset) {
  __local float threadgroup[4];
  y = (__global float*)((__global uchar*)y + y_offset);
  thread = (__global const device_counts*)((__global const uchar*)thread + thread_offset);
  const uint constant_ = (uint)get_local_id(0);
  const uint array_lengths = constant_ + thread_length;
  const float float4x4_1 = y[constant_];
  const float simd_sum_1 = float4x4_1 * 2.0f;
  threadgroup[constant_] = simd_sum_1 + (float)array_lengths;
  barrier(CLK_LOCAL_MEM_FENCE);
  const float clz_ = threadgroup[3u - constant_];
  y[constant_] = thread[0].half_ > thread[0].total ? exp(clz_) : clz_;
}
