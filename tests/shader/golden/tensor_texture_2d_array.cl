__attribute__((reqd_work_group_size(8, 4, 1)))
__kernel void double_(__read_only image2d_array_t x, __write_only image2d_array_t y) {
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  write_imagef(y, (int4)(id.y, id.z, id.x, 0), read_imagef(x, (int4)(id.y, id.z, id.x, 0)) * 2.0f);
}
