static void accumulate(float* sum, uint steps, uint* n, __local float (*s)[64], __global float* y) {
  for (uint i = 0u; i < steps; i++) {
    if (y[i] < 0.0f) {
      return;
    }
    *sum += y[i] * (*s)[i];
    (*n)++;
  }
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void pointers(__global float* y, ulong y_offset) {
  __local float shared_sum[64];
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint k = (uint)get_local_id(0);
  uint counter = 0u;
  shared_sum[k] = y[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum_1 = 0.0f;
  accumulate(&sum_1, k, &counter, &shared_sum, y);
  accumulate(&sum_1, 3u, &counter, &shared_sum, y);
  y[k] = sum_1 + (float)counter;
}
