__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void accumulate(__global const float4* restrict x, __global float4* y, ulong x_offset, ulong y_offset) {
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  float4 acc_0 = (float4)(0.0f);
  float4 acc_1 = (float4)(0.0f);
  float4 acc_2 = (float4)(0.0f);
  float4 acc_3 = (float4)(0.0f);
  for (uint k = 0u; k < 8u; k++) {
    const uint at_1 = k * 4u;
    const float4 chunk_2_0 = x[at_1];
    const float4 chunk_2_1 = x[at_1 + 1u];
    const float4 chunk_2_2 = x[at_1 + 2u];
    const float4 chunk_2_3 = x[at_1 + 3u];
    acc_0 += chunk_2_0;
    acc_1 += chunk_2_1;
    acc_2 += chunk_2_2;
    acc_3 += chunk_2_3;
  }
  const float4 sum = acc_0 + acc_1 + acc_2 + acc_3;
  y[id.x] = sum;
}
