__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void norm(__global const float4* restrict x, __global float4* y, ulong x_offset, ulong y_offset) {
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint3 at = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
  const uint3 local_ = (uint3)(get_local_id(0), get_local_id(1), get_local_id(2));
  float squares = 0.0f;
  for (uint s = local_.x; s < 144u; s++) {
    const float4 v = x[s * 4u + at.x];
    squares += dot(v, v);
  }
  const float scale = rsqrt(squares);
  for (uint s_1 = local_.x; s_1 < 144u; s_1++) {
    y[s_1 * 4u + at.x] = x[s_1 * 4u + at.x] * scale;
  }
}
