@group(0) @binding(0) var<storage, read_write> v: array<vec4<f32>>;

@compute @workgroup_size(1, 1, 1)
fn swizzles() {
  let a = v[0];
  v[1] = a.xxyy + a.wzyx;
  v[2] = vec4<f32>(a.xyz, a.w);
  v[3] = (a + v[4]).wzyx;
  v[5] = vec4<f32>(a.x, a.y, a.w, a.w);
  var b = v[6];
  b.x = a.y;
  b.w += 1.0f;
  v[7] = b;
}
