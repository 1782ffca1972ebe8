__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void compound(__global float* f, __global uint* u, ulong f_offset, ulong u_offset) {
  f = (__global float*)((__global uchar*)f + f_offset);
  u = (__global uint*)((__global uchar*)u + u_offset);
  const uint k = (uint)get_local_id(0);
  f[k] += 1.0f;
  f[k] -= f[0] * 2.0f;
  f[k] *= 3.0f;
  f[k] /= f[1];
  f[k] = fmod(f[k], 2.0f);
  u[k]++;
  u[k]--;
  u[k] &= 255u;
  u[k] |= 1u;
  u[k] ^= 3u;
  u[k] <<= 2u;
  u[k] >>= 1u;
  u[k] *= u[0] + 1u;
}
