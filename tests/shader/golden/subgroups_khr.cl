#pragma OPENCL EXTENSION cl_khr_subgroups : enable

static float subgroup_mul_float(float v) {
  float product = sub_group_broadcast(v, 0u);
  for (uint i = 1u; i < get_sub_group_size(); ++i) product *= sub_group_broadcast(v, i);
  return product;
}

static float4 subgroup_shuffle_xor_float4(float4 v, uint n) {
  return (float4)(sub_group_shuffle_xor(v.x, n), sub_group_shuffle_xor(v.y, n), sub_group_shuffle_xor(v.z, n), sub_group_shuffle_xor(v.w, n));
}

static float4 subgroup_add_float4(float4 v) {
  return (float4)(sub_group_reduce_add(v.x), sub_group_reduce_add(v.y), sub_group_reduce_add(v.z), sub_group_reduce_add(v.w));
}

static float subgroup_broadcast_first_float(float v) {
  return sub_group_broadcast(v, 0u);
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void subgroups(__global float* y, __global float4* v, __global uint* u, ulong y_offset, ulong v_offset,
                        ulong u_offset) {
  y = (__global float*)((__global uchar*)y + y_offset);
  v = (__global float4*)((__global uchar*)v + v_offset);
  u = (__global uint*)((__global uchar*)u + u_offset);
  const uint k = (uint)get_local_id(0);
  const uint lane = get_sub_group_local_id();
  const uint size = get_max_sub_group_size();
  const uint group = get_sub_group_id();
  const uint groups = get_num_sub_groups();
  y[k] = sub_group_reduce_add(y[k]) + sub_group_reduce_max(y[k]) + sub_group_reduce_min(y[k]) + subgroup_mul_float(y[k]);
  v[k] = subgroup_add_float4(v[k]) + subgroup_shuffle_xor_float4(v[k], 1u);
  y[k] += sub_group_broadcast(y[k], 3u) + subgroup_broadcast_first_float(y[k]) + sub_group_shuffle(y[k], lane ^ 1u);
  y[k] += sub_group_shuffle_up(y[k], 2u) + sub_group_shuffle_down(y[k], 2u);
  u[k] += sub_group_scan_exclusive_add(u[k]) + sub_group_scan_inclusive_add(u[k]) + size + group + groups;
  u[k] += (uint)(sub_group_all(u[k] > 3u) != 0) + (uint)(sub_group_any(u[k] == 0u) != 0);
  if (get_sub_group_local_id() == 0u) {
    u[0] = 1u;
  }
}
