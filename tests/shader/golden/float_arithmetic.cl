__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void arithmetic(__global const float4* restrict x, __global float4* y, ulong x_offset, ulong y_offset) {
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const float4 a = x[id.x];
  const float4 b = x[id.x + 1u];
  y[0] = a + b * a.x - 2.0f / a;
  y[1] = -(a - (b - a.x));
  y[2] = fmod(a, b);
  y[3] = fmod(a, (float4)(a.x));
  y[4] = a;
}
