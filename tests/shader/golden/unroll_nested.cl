__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void unrolled(__global const float* restrict x, __global float* y, ulong x_offset, ulong y_offset) {
  x = (__global const float*)((__global const uchar*)x + x_offset);
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  float acc_0 = 0.0f;
  float acc_1 = 0.0f;
  float acc_2 = 0.0f;
  float acc_3 = 0.0f;
  acc_1 += x[id.x * 4u];
  acc_2 += x[id.x * 4u];
  acc_2 += x[id.x * 4u + 1u];
  acc_3 += x[id.x * 4u];
  acc_3 += x[id.x * 4u + 1u];
  acc_3 += x[id.x * 4u + 2u];
  y[id.x * 4u] = acc_0;
  y[id.x * 4u + 1u] = acc_1;
  y[id.x * 4u + 2u] = acc_2;
  y[id.x * 4u + 3u] = acc_3;
}
