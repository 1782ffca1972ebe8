__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void folding(__global const float* restrict x, __global float* y, ulong x_offset, ulong y_offset) {
  x = (__global const float*)((__global const uchar*)x + x_offset);
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const float v = x[id.x];
  y[id.x + 3u] = v;
  y[id.x * 8u] = v;
  y[id.x] = v + 5.0f;
  y[id.x] = 8.5f;
  y[id.x] = v;
}
