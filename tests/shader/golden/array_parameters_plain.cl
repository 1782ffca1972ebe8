static float total(__local float (*values)[16], uint n) {
  float sum = 0.0f;
  for (uint i = 0u; i < n; i++) {
    if ((*values)[i] < 0.0f) {
      return sum;
    }
    sum += (*values)[i];
  }
  return sum;
}

static float both(uint n_1, __global float* y, __local float* tile) {
  for (uint i_1 = 0u; i_1 < n_1; i_1++) {
    if (y[i_1] > 3.0f) {
      return total((__local float (*)[16])tile, i_1);
    }
  }
  return total((__local float (*)[16])tile, n_1);
}

__attribute__((reqd_work_group_size(16, 1, 1)))
__kernel void sums(__global float* y, ulong y_offset) {
  __local float tile[16];
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint k = (uint)get_local_id(0);
  tile[k] = y[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[k] = both(k, y, tile) + both(k + 1u, y, tile);
}
