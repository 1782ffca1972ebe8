#include <metal_stdlib>

using namespace metal;

static int dot_4x8_signed(uint a, uint b) {
  const int4 p = int4(as_type<char4>(a)) * int4(as_type<char4>(b));
  return p.x + p.y + p.z + p.w;
}

static uint dot_4x8_unsigned(uint a, uint b) {
  const uint4 p = uint4(as_type<uchar4>(a)) * uint4(as_type<uchar4>(b));
  return p.x + p.y + p.z + p.w;
}

[[max_total_threads_per_threadgroup(32)]]
kernel void dots(device const uint* a [[buffer(0)]], device int* sums [[buffer(1)]],
                 device uint* usums [[buffer(2)]], uint3 id [[thread_position_in_grid]]) {
  int sum = 0;
  for (uint k = 0u; k < 16u; k++) {
    sum = (int)((uint)sum + dot_4x8_signed(a[k], a[id.x + k]));
  }
  sums[id.x] = sum;
  usums[id.x] = dot_4x8_unsigned(a[0], a[id.x]) + 1u;
  usums[id.x + 1u] = dot_4x8_unsigned(a[0], a[id.x]);
}
