static int component_int4(int4 v, uint i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void booleans(__global float4* f, __global uint* o, ulong f_offset, ulong o_offset) {
  f = (__global float4*)((__global uchar*)f + f_offset);
  o = (__global uint*)((__global uchar*)o + o_offset);
  const int4 m_1 = f[0] < f[1];
  const bool b_1 = f[0].x < 0.0f;
  int4 r_1 = !m_1;
  r_1.x = -b_1;
  r_1.y = -!b_1;
  for (uint k_1 = 0u; k_1 < 3u; k_1++) {
    if (component_int4(r_1, k_1) != 0) {
      ((int*)&r_1)[k_1 + 1u] = -b_1;
    }
  }
  const int4 n = r_1 & (m_1 | (int4)(-b_1, -1, 0, -(m_1.z != 0)));
  o[0] = (uint)all(n) + (uint)any(m_1);
  o[1] = (n.x != 0) == b_1 ? 1u : 0u;
  o[2] = (b_1 && !(m_1.y != 0)) || n.w != 0 ? 4u : 3u;
  f[2] = select(f[0], f[1], n);
  o[3] = (uint)any(n != m_1);
  o[4] = b_1 != (m_1.x != 0) ? 1u : 0u;
  o[5] = (b_1 & (m_1.x != 0)) ? 1u : 0u;
}
