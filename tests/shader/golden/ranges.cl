__attribute__((reqd_work_group_size(16, 1, 1)))
__kernel void bounded(__global int* y, __global const uint* restrict words, ulong y_offset, ulong words_offset) {
  y = (__global int*)((__global uchar*)y + y_offset);
  words = (__global const uint*)((__global const uchar*)words + words_offset);
  const uint3 local_ = (uint3)(get_local_id(0), get_local_id(1), get_local_id(2));
  const uint word = words[local_.x];
  y[0] = (int)local_.x * 8 + 3;
  y[1] = (int)(word & 15u) - 8;
  y[2] = ((int)(word >> 28u) - 8) * 127;
  y[3] = -(int)(word & 255u);
  y[4] = y[5] / ((int)(word & 3u) + 1);
  y[6] = clamp(y[7], -128, 127) * 256 + 128;
  y[8] = popcount(y[9]) * 4 - 1;
  y[(int)word * 4 + 1] = 0;
}
