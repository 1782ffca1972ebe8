#include <metal_stdlib>

using namespace metal;

static float4 fraction_float4(float4 x) {
  return x - floor(x);
}

static float4 mix_float4_float(float4 x, float4 y, float a) {
  return x * (float(1) - a) + y * a;
}

static float4 mix_float4(float4 x, float4 y, float4 a) {
  return x * (float4(1) - a) + y * a;
}

[[max_total_threads_per_threadgroup(1)]]
kernel void floats(device const float4* x [[buffer(0)]], device float4* y [[buffer(1)]]) {
  const float4 a = x[0];
  const float4 b = x[1];
  const float4 c = x[2];
  y[0] = fabs(a) + ceil(a) + floor(b) + trunc(c) + rint(a) + fraction_float4(b);
  y[1] = fmin(a, b) + fmax(b, c);
  y[2] = clamp(a, float4(0.0f), float4(6.0f)) + fmin(fmax(a, b), c);
  y[3] = saturate(a) + sign(b) + step(a, b) + smoothstep(a, b, c);
  y[4] = fma(a, b, c) + mix_float4(a, b, c) + mix_float4_float(a, b, 0.5f);
  y[5] = precise::sqrt(a) + precise::rsqrt(b) + precise::pow(a, c);
  y[6] = precise::exp(a) + precise::exp2(b) + precise::log(c) + precise::log2(a);
  y[7] = a * 57.29578f + b * 0.017453292f;
  y[8] = ldexp(a, int4(2));
  y[9] = float4(half4(a)) + float4(float(half(b.x)));
}
