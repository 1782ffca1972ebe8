__attribute__((reqd_work_group_size(8, 4, 1)))
__kernel void double_(__global const half* restrict x, __global half* y, ulong x_offset, ulong y_offset) {
  x = (__global const half*)((__global const uchar*)x + x_offset);
  y = (__global half*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const float4 v = vload_half4((id.x * 3u + id.z) * 5u + id.y, x);
  vstore_half4_rte(v * 2.0f, (id.x * 3u + id.z) * 5u + id.y, y);
}
