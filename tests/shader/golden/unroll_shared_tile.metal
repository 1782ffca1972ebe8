#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void product(device const float4* a [[buffer(0)]], device const float4* b [[buffer(1)]],
                    device float4* c [[buffer(2)]], uint k [[thread_index_in_threadgroup]],
                    uint3 group [[threadgroup_position_in_grid]]) {
  threadgroup float4 tile[64];
  float4 acc_0 = float4(0.0f);
  float4 acc_1 = float4(0.0f);
  for (uint step_ = 0u; step_ < 8u; step_++) {
    tile[k] = b[step_ * 64u + k];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const float4 left_1 = a[group.x * 16u + step_];
    acc_0 += left_1.x * tile[k % 64u];
    acc_0 += left_1.y * tile[(k + 1u) % 64u];
    const float4 left_2 = a[(group.x * 2u + 1u) * 8u + step_];
    acc_1 += left_2.x * tile[k % 64u];
    acc_1 += left_2.y * tile[(k + 1u) % 64u];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  c[group.x * 128u + k] = acc_0;
  c[(group.x * 2u + 1u) * 64u + k] = acc_1;
}
