__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void loads_issued(__global const uint4* restrict w, __global uint* y, ulong w_offset, ulong y_offset) {
  w = (__global const uint4*)((__global const uchar*)w + w_offset);
  y = (__global uint*)((__global uchar*)y + y_offset);
  const uint k = (uint)get_local_id(0);
  uint sum = 0u;
  const uint4 words_2 = w[k];
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  uint4 next = words_2;
  for (uint i_1 = 1u; i_1 < 8u; i_1++) {
    const uint4 words_1 = next;
    const uint i_2 = i_1 * 32u + k;
    const uint4 words_3 = w[i_2];
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    next = words_3;
    sum += (words_1.x + words_1.y * words_1.z) ^ words_1.w;
  }
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  y[k] = sum + next.x;
}
