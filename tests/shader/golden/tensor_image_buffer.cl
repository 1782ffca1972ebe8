__attribute__((reqd_work_group_size(8, 4, 1)))
__kernel void double_(__read_only image1d_buffer_t x, __write_only image1d_buffer_t y) {
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  write_imagef(y, (id.x * 3u + id.z) * 5u + id.y, read_imagef(x, (id.x * 3u + id.z) * 5u + id.y) * 2.0f);
}
