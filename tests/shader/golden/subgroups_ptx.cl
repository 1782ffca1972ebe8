static float subgroup_shuffle_xor_float(float v, uint n) {
  uint r;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(as_uint(v)), "r"(n));
  return as_float(r);
}

static float subgroup_mul_float(float v) {
  for (uint n = 16u; n > 0u; n /= 2u) v = v * subgroup_shuffle_xor_float(v, n);
  return v;
}

static float subgroup_min_float(float v) {
  for (uint n = 16u; n > 0u; n /= 2u) v = fmin(v, subgroup_shuffle_xor_float(v, n));
  return v;
}

static float subgroup_max_float(float v) {
  for (uint n = 16u; n > 0u; n /= 2u) v = fmax(v, subgroup_shuffle_xor_float(v, n));
  return v;
}

static float subgroup_add_float(float v) {
  for (uint n = 16u; n > 0u; n /= 2u) v = v + subgroup_shuffle_xor_float(v, n);
  return v;
}

static float4 subgroup_shuffle_xor_float4(float4 v, uint n) {
  return (float4)(subgroup_shuffle_xor_float(v.x, n), subgroup_shuffle_xor_float(v.y, n), subgroup_shuffle_xor_float(v.z, n), subgroup_shuffle_xor_float(v.w, n));
}

static float4 subgroup_add_float4(float4 v) {
  return (float4)(subgroup_add_float(v.x), subgroup_add_float(v.y), subgroup_add_float(v.z), subgroup_add_float(v.w));
}

static float subgroup_shuffle_float(float v, uint n) {
  uint r;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(as_uint(v)), "r"(n));
  return as_float(r);
}

static float subgroup_broadcast_first_float(float v) {
  uint r;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(as_uint(v)), "r"(0u));
  return as_float(r);
}

static float subgroup_broadcast_float(float v, uint n) {
  uint r;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(as_uint(v)), "r"(n));
  return as_float(r);
}

static float subgroup_shuffle_down_float(float v, uint n) {
  uint r;
  asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(as_uint(v)), "r"(n));
  return as_float(r);
}

static float subgroup_shuffle_up_float(float v, uint n) {
  uint r;
  asm volatile("shfl.sync.up.b32 %0, %1, %2, 0x0, 0xffffffff;" : "=r"(r) : "r"(as_uint(v)), "r"(n));
  return as_float(r);
}

static uint subgroup_shuffle_up_uint(uint v, uint n) {
  uint r;
  asm volatile("shfl.sync.up.b32 %0, %1, %2, 0x0, 0xffffffff;" : "=r"(r) : "r"(as_uint(v)), "r"(n));
  return as_uint(r);
}

static uint subgroup_inclusive_add_uint(uint v) {
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  for (uint n = 1u; n < 32u; n *= 2u) {
    uint other = subgroup_shuffle_up_uint(v, n);
    v = lane >= n ? v + other : v;
  }
  return v;
}

static uint subgroup_exclusive_add_uint(uint v) {
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  v = subgroup_shuffle_up_uint(v, 1u);
  v = lane == 0u ? 0 : v;
  for (uint n = 1u; n < 32u; n *= 2u) {
    uint other = subgroup_shuffle_up_uint(v, n);
    v = lane >= n ? v + other : v;
  }
  return v;
}

static bool subgroup_any(bool v) {
  int r;
  asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.any.pred q, p, 0xffffffff; selp.s32 %0, 1, 0, q; }" : "=r"(r) : "r"((int)v));
  return r != 0;
}

static bool subgroup_all(bool v) {
  int r;
  asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.all.pred q, p, 0xffffffff; selp.s32 %0, 1, 0, q; }" : "=r"(r) : "r"((int)v));
  return r != 0;
}

static bool subgroup_elect() {
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane == 0u;
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void subgroups(__global float* y, __global float4* v, __global uint* u, ulong y_offset, ulong v_offset,
                        ulong u_offset) {
  y = (__global float*)((__global uchar*)y + y_offset);
  v = (__global float4*)((__global uchar*)v + v_offset);
  u = (__global uint*)((__global uchar*)u + u_offset);
  const uint k = (uint)get_local_id(0);
  const uint lane = (uint)get_local_id(0) % 32u;
  const uint size = 32u;
  const uint group = (uint)get_local_id(0) / 32u;
  const uint groups = 2u;
  y[k] = subgroup_add_float(y[k]) + subgroup_max_float(y[k]) + subgroup_min_float(y[k]) + subgroup_mul_float(y[k]);
  v[k] = subgroup_add_float4(v[k]) + subgroup_shuffle_xor_float4(v[k], 1u);
  y[k] += subgroup_broadcast_float(y[k], 3u) + subgroup_broadcast_first_float(y[k]) + subgroup_shuffle_float(y[k], lane ^ 1u);
  y[k] += subgroup_shuffle_up_float(y[k], 2u) + subgroup_shuffle_down_float(y[k], 2u);
  u[k] += subgroup_exclusive_add_uint(u[k]) + subgroup_inclusive_add_uint(u[k]) + size + group + groups;
  u[k] += (uint)subgroup_all(u[k] > 3u) + (uint)subgroup_any(u[k] == 0u);
  if (subgroup_elect()) {
    u[0] = 1u;
  }
}
