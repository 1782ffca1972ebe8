__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void values(__read_only image1d_buffer_t ids, __read_only image2d_t bytes, __read_only image2d_t flags,
                     __write_only image2d_t y, __write_only image2d_t z) {
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const int4 v = as_int4(as_uint4(read_imagei(ids, id.x * 5u)) + as_uint4(read_imagei(bytes, (int2)(0, id.x))));
  write_imageui(y, (int2)(0, id.x), convert_uint4(convert_uchar4(as_uint4(v) + read_imageui(flags, (int2)(0, id.x)))));
  write_imagei(z, (int2)(0, id.x), convert_int4(convert_char4(v)));
}
