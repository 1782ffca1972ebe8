__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void precedence(__global uint* u, ulong u_offset) {
  u = (__global uint*)((__global uchar*)u + u_offset);
  const uint a = u[0];
  const uint b = u[1];
  const uint c = u[2];
  u[3] = (a + b) * c;
  u[4] = a + b * c;
  u[5] = a - b - c;
  u[6] = a - (b - c);
  u[7] = (a & b) | c;
  u[8] = a & (b | c);
  u[9] = (a << (b & 7u)) + c;
  u[10] = ~(a ^ b);
  u[11] = a << 3u;
  u[12] = (a < b && b < c) || a == c ? 1u : 0u;
  u[13] = (a < b) == (b < c) ? 1u : 0u;
  u[14] = a * (b / 3u);
  u[15] = a * b / 3u;
}
