__attribute__((reqd_work_group_size(8, 4, 1)))
__kernel void gather(__read_only image2d_t x_0, __read_only image2d_t x_1, __global float4* y, ulong y_offset) {
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  y[id.z * 5u + id.y] = read_imagef(x_1, (int2)(id.y, id.z * 4u));
  float4 x_load_result_1 = (float4)(0.0f);
  if (id.x % 2u == 0u) {
    x_load_result_1 = read_imagef(x_0, (int2)(id.y, id.z * 4u + id.x / 2u));
  } else {
    x_load_result_1 = read_imagef(x_1, (int2)(id.y, id.z * 4u + id.x / 2u));
  }
  y[(id.z + 3u) * 5u + id.y] = x_load_result_1;
}
