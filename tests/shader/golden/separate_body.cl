static uint bump(uint* calls) {
  *calls += 2u;
  return *calls;
}

__attribute__((noinline))
static void separate_body_body(uint3 at, __global const float* restrict a, __global float* b, uint a_length) {
  uint calls = 1u;
  if (at.x < a_length) {
    const float value = a[at.x];
    const float value_1 = (float)bump(&calls);
    b[at.x] = value * value_1;
  }
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void separate_body(__global const float* restrict a, __global float* b, uint a_length, ulong a_offset,
                            ulong b_offset) {
  a = (__global const float*)((__global const uchar*)a + a_offset);
  b = (__global float*)((__global uchar*)b + b_offset);
  separate_body_body((uint3)(get_group_id(0), get_group_id(1), get_group_id(2)), a, b, a_length);
}
