#include <metal_stdlib>

using namespace metal;

static bool component_bool4(bool4 v, uint i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

[[max_total_threads_per_threadgroup(1)]]
kernel void booleans(device float4* f [[buffer(0)]], device uint* o [[buffer(1)]]) {
  const bool4 m_1 = f[0] < f[1];
  const bool b_1 = f[0].x < 0.0f;
  bool4 r_1 = !m_1;
  r_1.x = b_1;
  r_1.y = !b_1;
  for (uint k_1 = 0u; k_1 < 3u; k_1++) {
    if (component_bool4(r_1, k_1)) {
      r_1[k_1 + 1u] = b_1;
    }
  }
  const bool4 n = r_1 & (m_1 | bool4(b_1, true, false, m_1.z));
  o[0] = uint(all(n)) + uint(any(m_1));
  o[1] = n.x == b_1 ? 1u : 0u;
  o[2] = (b_1 && !m_1.y) || n.w ? 4u : 3u;
  f[2] = select(f[0], f[1], n);
  o[3] = uint(any(n != m_1));
  o[4] = b_1 != m_1.x ? 1u : 0u;
  o[5] = (b_1 & m_1.x) ? 1u : 0u;
}
