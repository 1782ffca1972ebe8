#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void halves(__global const half4* restrict x, __global half4* y, __global float* z, ulong x_offset,
                     ulong y_offset, ulong z_offset) {
  __local half4 tile[64];
  x = (__global const half4*)((__global const uchar*)x + x_offset);
  y = (__global half4*)((__global uchar*)y + y_offset);
  z = (__global float*)((__global uchar*)z + z_offset);
  const uint k = (uint)get_local_id(0);
  const half4 a = x[k];
  tile[k] = a;
  barrier(CLK_LOCAL_MEM_FENCE);
  const half4 b = tile[63u - k] * 0.5h + convert_half4((float4)((float)a.x));
  y[k] = select(fmin(a, b), fma(a, b, (half4)(1.0h)), convert_short4(convert_int4(a < b)));
  y[k + 64u] = convert_half4(convert_int4_sat_rtz(b)) + (half4)(-2.0h);
  z[k] = (float)dot(a, b) + as_float(a.xy);
  y[0].x = fmod((half)z[0], 2.0h) + clamp(a.y, 0.0h, 1.0h);
}
