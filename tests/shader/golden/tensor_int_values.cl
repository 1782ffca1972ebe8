__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void values(__global const int4* restrict ids, __global const uint4* restrict flags, __global uint4* y,
                     ulong ids_offset, ulong flags_offset, ulong y_offset) {
  ids = (__global const int4*)((__global const uchar*)ids + ids_offset);
  flags = (__global const uint4*)((__global const uchar*)flags + flags_offset);
  y = (__global uint4*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  y[id.x * 5u] = as_uint4(ids[id.x * 5u]) + flags[id.x * 5u];
}
