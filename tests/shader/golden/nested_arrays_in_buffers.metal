#include <metal_stdlib>

using namespace metal;

static float pick(uint i, device const float2 (*fixed)[4], constant float4* table) {
  for (uint k = 0u; k < 4u; k++) {
    if (fixed[i][k].x > 0.0f) {
      return table[k].y;
    }
  }
  return 0.0f;
}

[[max_total_threads_per_threadgroup(8)]]
kernel void nested(device const float2 (*fixed)[4] [[buffer(0)]], device float (*y)[3] [[buffer(1)]],
                   constant float4* table [[buffer(2)]], uint k_1 [[thread_index_in_threadgroup]]) {
  y[k_1][2] = fixed[k_1][1].y + table[k_1].w + pick(k_1, fixed, table) * pick(k_1 + 1u, fixed, table);
}
