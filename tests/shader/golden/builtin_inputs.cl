__attribute__((reqd_work_group_size(8, 4, 2)))
__kernel void inputs(__global uint* y, ulong y_offset) {
  y = (__global uint*)((__global uchar*)y + y_offset);
  const uint3 local_id = (uint3)(get_local_id(0), get_local_id(1), get_local_id(2));
  const uint index = (uint)get_local_id(0) + (uint)get_local_id(1) * 8u + (uint)get_local_id(2) * 32u;
  const uint3 global_id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const uint3 group = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
  const uint3 groups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
  y[index] = local_id.x + local_id.z + global_id.y + group.z * groups.x;
}
