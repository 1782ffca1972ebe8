#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void compound(device float* f [[buffer(0)]], device uint* u [[buffer(1)]],
                     uint k [[thread_index_in_threadgroup]]) {
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
