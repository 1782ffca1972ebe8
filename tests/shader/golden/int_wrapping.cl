__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void wrapping(__global int* x, __global int4* v, ulong x_offset, ulong v_offset) {
  x = (__global int*)((__global uchar*)x + x_offset);
  v = (__global int4*)((__global uchar*)v + v_offset);
  const int a = x[0];
  const int b = x[1];
  const int c = x[2];
  x[3] = (int)((uint)a + b);
  x[4] = (int)((uint)a * b + c);
  x[5] = (int)(a + (uint)b * c);
  x[6] = (int)(a - 1u);
  x[7] = (int)(a * 2u);
  x[8] = (int)-(uint)a;
  x[9] = (a & 255) * 3 + (b & 7);
  x[10] = (int)((uint)a + b) & c;
  x[11] = (int)((uint)x[11] + a);
  x[12] = (int)(x[12] + 1u);
  v[1] = as_int4(as_uint4(v[0]) + as_uint4(v[2]) * (uint)a);
  v[2] = as_int4(-as_uint4(v[0]));
  v[3] = as_int4(as_uint4(v[0]) * 3u);
}
