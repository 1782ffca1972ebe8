#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(1)]]
kernel void precedence(device uint* u [[buffer(0)]]) {
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
