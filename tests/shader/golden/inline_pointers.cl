__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void moments(__global const float* restrict x, __global float* y, ulong x_offset, ulong y_offset) {
  x = (__global const float*)((__global const uchar*)x + x_offset);
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  float2 sum_1 = (float2)(0.0f);
  for (uint i = 0u; i < 8u; i++) {
    const uint at_1 = id.x + i;
    sum_1.x += x[at_1];
    sum_1.y += x[at_1] * x[at_1];
    const uint at_2 = id.x * i;
    sum_1.x += x[at_2];
    sum_1.y += x[at_2] * x[at_2];
  }
  y[id.x] = sum_1.x * sum_1.y;
}
