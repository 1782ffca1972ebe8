#include <metal_stdlib>

using namespace metal;

static uint dot_4x8_unsigned(uint a, uint b) {
  const uint4 p = uint4(as_type<uchar4>(a)) * uint4(as_type<uchar4>(b));
  return p.x + p.y + p.z + p.w;
}

static int dot_4x8_mixed(uint a, uint b) {
  return int(a & 255u) * (int(b << 24) >> 24) + int((a >> 8) & 255u) * (int(b << 16) >> 24) + int((a >> 16) & 255u) * (int(b << 8) >> 24) + int((a >> 24) & 255u) * (int(b) >> 24);
}

static int dot_4x8_signed(uint a, uint b) {
  const int4 p = int4(as_type<char4>(a)) * int4(as_type<char4>(b));
  return p.x + p.y + p.z + p.w;
}

[[max_total_threads_per_threadgroup(32)]]
kernel void dots(device const uint* a [[buffer(0)]], device int* sums [[buffer(1)]],
                 uint3 id [[thread_position_in_grid]]) {
  sums[id.x] = dot_4x8_signed(a[0], a[id.x]) + 1 + dot_4x8_mixed(a[1], a[id.x]) + int(dot_4x8_unsigned(a[2], a[id.x]));
}
