#include <metal_stdlib>

using namespace metal;

static int dot_4x8_signed(uint a, uint b) {
  const int4 p = int4(as_type<char4>(a)) * int4(as_type<char4>(b));
  return p.x + p.y + p.z + p.w;
}

[[max_total_threads_per_threadgroup(32)]]
kernel void dots(device const uint* a [[buffer(0)]], device int* sums [[buffer(1)]],
                 uint3 id [[thread_position_in_grid]]) {
  sums[id.x] = dot_4x8_signed(a[0], a[id.x]) + 1;
}
