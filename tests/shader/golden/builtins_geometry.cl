__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void geometry(__global const float4* restrict x, __global float4* y, ulong x_offset, ulong y_offset) {
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  y = (__global float4*)((__global uchar*)y + y_offset);
  const float4 a = x[0];
  const float4 b = x[1];
  y[0] = (float4)(dot(a, b), length(a), distance(a, b), dot(a.xy, b.zw));
  y[1] = normalize(a);
  y[2] = (float4)(cross(a.xyz, b.xyz), 1.0f);
}
