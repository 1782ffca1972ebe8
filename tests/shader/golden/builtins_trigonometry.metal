#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void trigonometry(device const float* x [[buffer(0)]], device float* y [[buffer(1)]]) {
  const float a = x[0];
  y[0] = precise::sin(a) + precise::cos(a) + precise::tan(a);
  y[1] = precise::asin(a) + precise::acos(a) + precise::atan(a) + precise::atan2(a, x[1]);
  y[2] = precise::sinh(a) + precise::cosh(a) + precise::tanh(a);
  y[3] = precise::asinh(a) + precise::acosh(a) + precise::atanh(a);
}
