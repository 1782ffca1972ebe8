#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void inputs(device uint* y [[buffer(0)]], uint3 local_id [[thread_position_in_threadgroup]],
                   uint index [[thread_index_in_threadgroup]], uint3 global_id [[thread_position_in_grid]],
                   uint3 group [[threadgroup_position_in_grid]], uint3 groups [[threadgroups_per_grid]]) {
  y[index] = local_id.x + local_id.z + global_id.y + group.z * groups.x;
}
