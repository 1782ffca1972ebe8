static int dot_int4(int4 a, int4 b) {
  uint4 p = as_uint4(a) * as_uint4(b);
  return p.x + p.y + p.z + p.w;
}

static uint dot_uint3(uint3 a, uint3 b) {
  uint3 p = a * b;
  return p.x + p.y + p.z;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void integers(__global int4* i, __global uint4* u, __global int* s, ulong i_offset, ulong u_offset,
                       ulong s_offset) {
  i = (__global int4*)((__global uchar*)i + i_offset);
  u = (__global uint4*)((__global uchar*)u + u_offset);
  s = (__global int*)((__global uchar*)s + s_offset);
  i[1] = as_int4(as_uint4(as_int4(abs(i[0]))) + as_uint4(clamp(i[2], -1, 1)));
  i[2] = as_int4(as_uint4(min(i[0], i[1])) + as_uint4(max(i[0], (int4)(3))));
  i[3] = clamp(i[0], (int4)(-8), (int4)(7));
  i[4] = min(max(i[0], i[1]), i[2]);
  u[1] = u[0];
  s[0] = (int)((uint)(int)abs(s[1]) + clamp(s[2], -1, 1));
  s[3] = dot_int4(i[0], i[1]);
  u[2].x = dot_uint3(u[0].xyz, u[1].xyz);
}
