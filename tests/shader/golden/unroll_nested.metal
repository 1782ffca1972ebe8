#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(64)]]
kernel void unrolled(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                     uint3 id [[thread_position_in_grid]]) {
  float acc_0 = 0.0f;
  float acc_1 = 0.0f;
  float acc_2 = 0.0f;
  float acc_3 = 0.0f;
  acc_1 += x[id.x * 4u];
  acc_2 += x[id.x * 4u];
  acc_2 += x[id.x * 4u + 1u];
  acc_3 += x[id.x * 4u];
  acc_3 += x[id.x * 4u + 1u];
  acc_3 += x[id.x * 4u + 2u];
  y[id.x * 4u] = acc_0;
  y[id.x * 4u + 1u] = acc_1;
  y[id.x * 4u + 2u] = acc_2;
  y[id.x * 4u + 3u] = acc_3;
}
