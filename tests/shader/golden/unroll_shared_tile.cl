__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void product(__global const float4* restrict a, __global const float4* restrict b, __global float4* c,
                      ulong a_offset, ulong b_offset, ulong c_offset) {
  __local float4 tile[64];
  a = (__global const float4*)((__global const uchar*)a + a_offset);
  b = (__global const float4*)((__global const uchar*)b + b_offset);
  c = (__global float4*)((__global uchar*)c + c_offset);
  const uint k = (uint)get_local_id(0);
  const uint3 group = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
  float4 acc_0 = (float4)(0.0f);
  float4 acc_1 = (float4)(0.0f);
  for (uint step_ = 0u; step_ < 8u; step_++) {
    tile[k] = b[step_ * 64u + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float4 left_1 = a[group.x * 16u + step_];
    acc_0 += left_1.x * tile[k % 64u];
    acc_0 += left_1.y * tile[(k + 1u) % 64u];
    const float4 left_2 = a[(group.x * 2u + 1u) * 8u + step_];
    acc_1 += left_2.x * tile[k % 64u];
    acc_1 += left_2.y * tile[(k + 1u) % 64u];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[group.x * 128u + k] = acc_0;
  c[(group.x * 2u + 1u) * 64u + k] = acc_1;
}
