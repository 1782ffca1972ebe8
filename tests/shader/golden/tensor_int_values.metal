#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(8)]]
kernel void values(device const int4* ids [[buffer(0)]], device const uint4* flags [[buffer(1)]],
                   device uint4* y [[buffer(2)]], uint3 id [[thread_position_in_grid]]) {
  y[id.x * 5u] = uint4(ids[id.x * 5u]) + flags[id.x * 5u];
}
