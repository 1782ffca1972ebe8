static float4 fraction_float4(float4 x) {
  return x - floor(x);
}

static float quantize_to_f16_float(float x) {
  ushort bits[4];
  vstore_half_rte(x, 0, (half*)bits);
  return vload_half(0, (const half*)bits);
}

static float4 quantize_to_f16_float4(float4 x) {
  ushort bits[4];
  vstore_half4_rte(x, 0, (half*)bits);
  return vload_half4(0, (const half*)bits);
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void floats(__global const float4* restrict x, __global float4* y, ulong x_offset, ulong y_offset) {
  x = (__global const float4*)((__global const uchar*)x + x_offset);
  y = (__global float4*)((__global uchar*)y + y_offset);
  const float4 a = x[0];
  const float4 b = x[1];
  const float4 c = x[2];
  y[0] = fabs(a) + ceil(a) + floor(b) + trunc(c) + rint(a) + fraction_float4(b);
  y[1] = fmin(a, b) + fmax(b, c);
  y[2] = clamp(a, (float4)(0.0f), (float4)(6.0f)) + fmin(fmax(a, b), c);
  y[3] = clamp(a, 0.0f, 1.0f) + sign(b) + step(a, b) + smoothstep(a, b, c);
  y[4] = fma(a, b, c) + mix(a, b, c) + mix(a, b, 0.5f);
  y[5] = sqrt(a) + rsqrt(b) + pow(a, c);
  y[6] = exp(a) + exp2(b) + log(c) + log2(a);
  y[7] = degrees(a) + radians(b);
  y[8] = ldexp(a, (int4)(2));
  y[9] = quantize_to_f16_float4(a) + (float4)(quantize_to_f16_float(b.x));
}
