typedef struct {
  float4 a;
  uint b;
} Pair;

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void zeroes(__global float4* y, ulong y_offset) {
  y = (__global float4*)((__global uchar*)y + y_offset);
  float s = 0.0f;
  float4 v = (float4)(0.0f);
  Pair p = {0};
  float a[100] = {0};
  for (uint i = 0u; i < 100u; i++) {
    a[i] += s;
    s += (float)p.b;
    v += p.a;
    p.a = v;
    p.b = i;
  }
  y[0] = v + a[convert_uint_sat_rtz(s)];
}
