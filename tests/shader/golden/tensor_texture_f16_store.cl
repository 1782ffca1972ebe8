static float4 quantize_to_f16_float4(float4 x) {
  ushort bits[4];
  vstore_half4_rte(x, 0, (half*)bits);
  return vload_half4(0, (const half*)bits);
}

__attribute__((reqd_work_group_size(8, 4, 1)))
__kernel void double_(__global const float4* restrict x, __write_only image2d_t y, ulong x_offset) {
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  write_imagef(y, (int2)(id.y, id.z * 3u + id.x), quantize_to_f16_float4(x[(id.x * 3u + id.z) * 5u + id.y] * 2.0f));
}
