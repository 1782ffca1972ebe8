__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void subgroups(__global float4* y, ulong y_offset) {
  y = (__global float4*)((__global uchar*)y + y_offset);
  const float4 v = y[0] + y[1];
  y[0] = v + (float4)(0.0f) + 1.0f;
}
