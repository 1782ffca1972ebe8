static uint subgroup_shuffle_xor_uint(uint v, uint n) {
  uint r;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(as_uint(v)), "r"(n));
  return as_uint(r);
}

static uint subgroup_add_uint(uint v) {
  for (uint n = 16u; n > 0u; n /= 2u) v = v + subgroup_shuffle_xor_uint(v, n);
  return v;
}

static uint and_or(uint v, uint mask, uint bits) {
  uint r;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(r) : "r"(v), "r"(mask), "r"(bits));
  return r;
}

__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void words_of_weights(__global const uint* restrict w, __global uint* y, ulong w_offset, ulong y_offset) {
  __local uint shared_sums[64];
  w = (__global const uint*)((__global const uchar*)w + w_offset);
  y = (__global uint*)((__global uchar*)y + y_offset);
  const uint3 at = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
  const uint3 local_ = (uint3)(get_local_id(0), get_local_id(1), get_local_id(2));
  const uint row = at.x * 32u + local_.x;
  uint sum = subgroup_add_uint((w + (row / 32u * 576u + row % 32u))[288]) + (w + (row / 32u * 576u + local_.x % 8u / 4u * 128u + row % 32u * 4u + local_.x % 8u % 4u))[32];
  for (uint unit = 0u; unit < 2u; unit++) {
    const uint4 first = *(__global const uint4*)(w + (row / 32u * 576u + unit * 288u + row % 32u * 4u) + 32);
    const uint4 second = *(__global const uint4*)(w + (row / 32u * 576u + unit * 288u + row % 32u * 4u) + 160);
    sum += and_or(first.x, 983055u, 1677747200u) + first.w + second.y;
  }
  (shared_sums + (local_.x))[32] = sum;
  shared_sums[local_.x] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  (y + (at.x * 64u + local_.x * 2u))[1] = shared_sums[63u - local_.x];
  y[at.x * 64u + local_.x * 2u] = shared_sums[(local_.x + 1u) % 32u];
}
