@group(0) @binding(0) var<storage, read_write> f: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(1, 1, 1)
fn booleans() {
  let m_1 = f[0] < f[1];
  let b_1 = f[0].x < 0.0f;
  var r_1 = !m_1;
  r_1.x = b_1;
  r_1.y = !b_1;
  for (var k_1 = 0u; k_1 < 3u; k_1++) {
    if (r_1[k_1]) {
      r_1[k_1 + 1u] = b_1;
    }
  }
  let n = r_1 & (m_1 | vec4<bool>(b_1, true, false, m_1.z));
  o[0] = u32(all(n)) + u32(any(m_1));
  o[1] = select(0u, 1u, (n.x == b_1));
  o[2] = select(3u, 4u, ((b_1 && !m_1.y) || n.w));
  f[2] = select(f[0], f[1], n);
  o[3] = u32(any(n != m_1));
  o[4] = select(0u, 1u, (b_1 != m_1.x));
  o[5] = select(0u, 1u, b_1 & m_1.x);
}
