__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void matvec(__global const uint* restrict words, __global const float4* restrict x, __global float* y,
                     ulong words_offset, ulong x_offset, ulong y_offset) {
  words = (__global const uint*)((__global const uchar*)words + words_offset);
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  float sum = 0.0f;
  for (uint block_1 = 0u; block_1 < 16u; block_1++) {
    const uint block_2 = id.x * 16u + block_1;
    const float scale_1 = (float)words[block_2 * 3u] * 0.125f;
    const uint word_4 = words[block_2 * 3u + 1u];
    const float4 chunk_2_0 = (convert_float4(((uint4)(word_4) >> (uint4)(0u, 8u, 16u, 24u)) & (uint4)(15u)) - 8.0f) * scale_1;
    const float4 chunk_2_2 = (convert_float4(((uint4)(word_4) >> (uint4)(4u, 12u, 20u, 28u)) & (uint4)(15u)) - 8.0f) * scale_1;
    const uint word_5 = words[block_2 * 3u + 2u];
    const float4 chunk_2_1 = (convert_float4(((uint4)(word_5) >> (uint4)(0u, 8u, 16u, 24u)) & (uint4)(15u)) - 8.0f) * scale_1;
    const float4 chunk_2_3 = (convert_float4(((uint4)(word_5) >> (uint4)(4u, 12u, 20u, 28u)) & (uint4)(15u)) - 8.0f) * scale_1;
    sum += dot(chunk_2_0, x[block_1 * 4u]);
    sum += dot(chunk_2_1, x[block_1 * 4u + 1u]);
    sum += dot(chunk_2_2, x[block_1 * 4u + 2u]);
    sum += dot(chunk_2_3, x[block_1 * 4u + 3u]);
  }
  y[id.x] = sum;
}
