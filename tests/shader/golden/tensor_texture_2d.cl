__attribute__((reqd_work_group_size(8, 4, 1)))
__kernel void double_(__read_only image2d_t x, __write_only image2d_t y) {
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  write_imagef(y, (int2)(id.y, id.z * 3u + id.x), read_imagef(x, (int2)(id.y, id.z * 3u + id.x)) * 2.0f);
}
