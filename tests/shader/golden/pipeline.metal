#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(128)]]
kernel void pipeline(device const uint* w [[buffer(0)]], device const uint4* x [[buffer(1)]],
                     device float* y [[buffer(2)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup uint words[1152];
  threadgroup uint4 tile[256];
  uint pipeline_index = 0u;
  pipeline_index = t;
  if (t == 0u) {
    for (uint stage = 0u; stage < 2u; stage++) {
      const uint to = stage * 576u;
      const uint from = stage * 32u / 32u * 576u + stage * 32u % 32u;
      for (uint i_1 = 0u; i_1 < 288u; i_1++) {
        words[to + i_1] = w[from + i_1];
      }
      const uint to_1 = stage * 576u + 288u;
      const uint from_1 = stage * 32u / 32u * 576u + 288u + stage * 32u % 32u;
      for (uint i_2 = 0u; i_2 < 32u; i_2++) {
        words[to_1 + i_2] = w[from_1 + i_2];
      }
      const uint to_2 = stage * 576u + 320u;
      const uint from_2 = stage * 32u / 32u * 576u + 288u + stage * 32u % 32u + 32u;
      for (uint i_3 = 0u; i_3 < 256u; i_3++) {
        words[to_2 + i_3] = w[from_2 + i_3];
      }
      const uint to_3 = stage * 128u;
      const uint from_3 = stage * 128u;
      for (uint i_4 = 0u; i_4 < 128u; i_4++) {
        tile[to_3 + i_4] = x[from_3 + i_4];
      }
    }
  }
  float sums[8] = {};
  for (uint stage_1 = 0u; stage_1 < 2u; stage_1++) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const uint4 left_0 = uint4(words[stage_1 * 576u + t]) & uint4(983055u);
    const uint right_offset_2 = stage_1 * 128u;
    const uint index_2 = pipeline_index;
    for (uint q_6 = 0u; q_6 < 4u; q_6++) {
      const uint4 part_6 = simd_shuffle(left_0, ushort(index_2 % 32u / 4u * 4u + q_6));
      for (uint j_6 = 0u; j_6 < 2u; j_6++) {
        for (uint e_6 = 0u; e_6 < 2u; e_6++) {
          const uint at_6 = right_offset_2 + j_6 * 8u + index_2 % 4u * 2u + e_6;
          const uint low_6 = ((threadgroup uint*)&tile[at_6])[q_6];
          const uint high_6 = ((threadgroup uint*)&tile[at_6 + 16u])[q_6];
          const float2 product_26 = float2(as_type<half2>(part_6.x)) * float2(as_type<half2>(low_6));
          const float2 product_27 = float2(as_type<half2>(part_6.z)) * float2(as_type<half2>(high_6));
          sums[j_6 * 4u + e_6] += product_26.x + product_26.y + (product_27.x + product_27.y);
          const float2 product_28 = float2(as_type<half2>(part_6.y)) * float2(as_type<half2>(low_6));
          const float2 product_29 = float2(as_type<half2>(part_6.w)) * float2(as_type<half2>(high_6));
          sums[j_6 * 4u + 2u + e_6] += product_28.x + product_28.y + (product_29.x + product_29.y);
        }
      }
    }
    const uint left_offset_1 = stage_1 * 128u;
    const uint right_offset_1_1 = stage_1 * 128u;
    const uint index_1_1 = pipeline_index;
    const uint row = index_1_1 % 128u / 32u * 16u + index_1_1 % 32u / 4u;
    const uint low_left_3 = left_offset_1 + row;
    const uint c_3 = index_1_1 % 4u;
    const uint4 own_7 = uint4(((threadgroup uint*)&tile[low_left_3])[c_3], ((threadgroup uint*)&tile[low_left_3 + 8u])[c_3], ((threadgroup uint*)&tile[low_left_3 + 64u])[c_3], ((threadgroup uint*)&tile[low_left_3 + 72u])[c_3]);
    for (uint q_7 = 0u; q_7 < 4u; q_7++) {
      const uint4 part_7 = simd_shuffle(own_7, ushort(index_1_1 % 32u / 4u * 4u + q_7));
      for (uint j_7 = 0u; j_7 < 2u; j_7++) {
        for (uint e_7 = 0u; e_7 < 2u; e_7++) {
          const uint at_7 = right_offset_1_1 + j_7 * 8u + index_1_1 % 4u * 2u + e_7;
          const uint low_7 = ((threadgroup uint*)&tile[at_7])[q_7];
          const uint high_7 = ((threadgroup uint*)&tile[at_7 + 16u])[q_7];
          const float2 product_30 = float2(as_type<half2>(part_7.x)) * float2(as_type<half2>(low_7));
          const float2 product_31 = float2(as_type<half2>(part_7.z)) * float2(as_type<half2>(high_7));
          sums[j_7 * 4u + e_7] += product_30.x + product_30.y + (product_31.x + product_31.y);
          const float2 product_32 = float2(as_type<half2>(part_7.y)) * float2(as_type<half2>(low_7));
          const float2 product_33 = float2(as_type<half2>(part_7.w)) * float2(as_type<half2>(high_7));
          sums[j_7 * 4u + 2u + e_7] += product_32.x + product_32.y + (product_33.x + product_33.y);
        }
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (uint i = 0u; i < 8u; i++) {
    y[t * 8u + i] = sums[i];
  }
}
