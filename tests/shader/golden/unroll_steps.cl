__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void unrolled(__global uint* y, ulong y_offset) {
  y = (__global uint*)((__global uchar*)y + y_offset);
  const uint k = (uint)get_local_id(0);
  y[6] = k;
  y[3] = k;
  y[0] = k;
  y[k + 1u] += y[k];
  y[k + 2u] += y[k];
  y[k] = 1u;
  y[k + 8u] += y[k];
  if (y[0] != k) {
    y[1] = 0u;
  }
  if (y[1] != k) {
    y[2] = 0u;
  }
}
