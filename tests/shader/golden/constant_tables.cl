__constant float table_0[16] = {-127.0f, -104.0f, -83.0f, -65.0f, -49.0f, -35.0f, -22.0f, -10.0f, 1.0f, 13.0f, 25.0f, 38.0f, 53.0f, 69.0f, 89.0f, 113.0f};
__constant float2 table_1[3] = {(float2)(0.0f), (float2)(1.0f, 0.0f), (float2)(0.0f, 1.0f)};

__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void decode(__global const uint* restrict words, __global float* y, ulong words_offset, ulong y_offset) {
  words = (__global const uint*)((__global const uchar*)words + words_offset);
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const uint word = words[id.x];
  y[id.x * 2u] = table_0[word & 15u];
  y[id.x * 2u + 1u] = table_0[(word >> 4u) & 15u] + table_1[word % 3u].y;
  y[0] = -65.0f;
}
