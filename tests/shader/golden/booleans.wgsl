// Scalars are bool, vectors are OpenCL's masks.
var<storage, read_write> f: array<vec4f>;
var<storage, read_write> o: array<u32>;

fn flip(m: vec4<bool>, b: bool) -> vec4<bool> {
  var r = !m;
  r.x = b;
  r[1] = !b;
  for (var k = 0u; k < 3u; k++) {
    if (r[k]) {
      r[k + 1u] = b;
    }
  }
  return r;
}

@compute @workgroup_size(1)
fn booleans() {
  let m = f[0] < f[1];
  let b = f[0].x < 0.0;
  let n = flip(m, b) & (m | vec4<bool>(b, true, false, m.z));
  o[0] = u32(all(n)) + u32(any(m));
  o[1] = select(0u, 1u, n.x == b);
  o[2] = select(3u, 4u, (b && !m.y) || n.w);
  f[2] = select(f[0], f[1], n);
  o[3] = u32(any(n != m));
  o[4] = select(0u, 1u, b != m.x);
  o[5] = select(0u, 1u, b & m.x);
}
