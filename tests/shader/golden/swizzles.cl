__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void swizzles(__global float4* v, ulong v_offset) {
  v = (__global float4*)((__global uchar*)v + v_offset);
  const float4 a = v[0];
  v[1] = a.xxyy + a.wzyx;
  v[2] = (float4)(a.xyz, a.w);
  v[3] = (a + v[4]).wzyx;
  v[5] = (float4)(a.x, a.y, a.w, a.w);
  float4 b = v[6];
  b.x = a.y;
  b.w += 1.0f;
  v[7] = b;
}
