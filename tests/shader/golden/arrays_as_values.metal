#include <metal_stdlib>

using namespace metal;

struct array_4_float {
  float at[4];
};

static uint saturated_uint(float x) {
  return select(uint(fmin(fmax(x, float(0.0f)), float(4294967040.0f))), uint(4294967295u), x >= float(4294967296.0f));
}

static float sum(array_4_float a, uint n) {
  float total = 0.0f;
  for (uint i = 0u; i < n; i++) {
    if (a.at[i] < 0.0f) {
      return total;
    }
    total += a.at[i];
  }
  return total;
}

static array_4_float twice(uint n_1, device const float* x) {
  array_4_float a_1 = {};
  for (uint i_1 = 0u; i_1 < n_1; i_1++) {
    if (x[i_1] < 0.0f) {
      return a_1;
    }
    a_1.at[i_1] = x[i_1] * 2.0f;
  }
  return a_1;
}

[[max_total_threads_per_threadgroup(1)]]
kernel void arrays(device const float* x [[buffer(0)]], device float* y [[buffer(1)]]) {
  array_4_float a_2 = twice(saturated_uint(x[0]), x);
  const array_4_float b = a_2;
  a_2.at[saturated_uint(x[1])] = 1.0f;
  y[0] = sum(a_2, 4u) + sum(array_4_float{{1.0f, 2.0f, 3.0f, 4.0f}}, 3u) + b.at[saturated_uint(x[2])];
}
