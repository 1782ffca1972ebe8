#pragma OPENCL EXTENSION cl_khr_fp16 : enable

static half4 half4_from_float4(float4 v) {
  return (half4)((half)v.x, (half)v.y, (half)v.z, (half)v.w);
}

static float4 float4_from_half4(half4 v) {
  return (float4)((float)v.x, (float)v.y, (float)v.z, (float)v.w);
}

static float2 float2_from_half2(half2 v) {
  return (float2)((float)v.x, (float)v.y);
}

static uint pack_2x16_float(float2 v) {
  uint bits;
  vstore_half2_rte(v, 0, (half*)&bits);
  return bits;
}

static float float_bits_of_half2(half2 v) {
  return as_float(pack_2x16_float(float2_from_half2(v)));
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void halves(__global const half4* x, __global half4* y, __global float* z, ulong x_offset, ulong y_offset,
                     ulong z_offset) {
  __local half4 tile[64];
  x = (__global const half4*)((__global const uchar*)x + x_offset);
  y = (__global half4*)((__global uchar*)y + y_offset);
  z = (__global float*)((__global uchar*)z + z_offset);
  const uint k = (uint)get_local_id(0);
  const half4 a = x[k];
  tile[k] = a;
  barrier(CLK_LOCAL_MEM_FENCE);
  const half4 b = tile[63u - k] * 0.5h + half4_from_float4((float4)((float)a.x));
  y[k] = half4_from_float4(select(float4_from_half4(half4_from_float4(fmin(float4_from_half4(a), float4_from_half4(b)))), float4_from_half4(half4_from_float4(fma(float4_from_half4(a), float4_from_half4(b), float4_from_half4((half4)(1.0h))))), convert_int4(a < b)));
  y[k + 64u] = half4_from_float4(convert_float4(convert_int4_sat_rtz(float4_from_half4(b)))) + (half4)(-2.0h);
  z[k] = (float)(half)dot(float4_from_half4(a), float4_from_half4(b)) + float_bits_of_half2(a.xy);
  y[0].x = (half)fmod((float)(half)z[0], (float)2.0h) + (half)clamp((float)a.y, 0.0f, 1.0f);
}
