struct Head {
  a: u32,
  b: u32,
  c: vec3<f32>,
  d: vec4<f32>,
}

@group(0) @binding(0) var<storage, read_write> h: array<Head>;

@compute @workgroup_size(1, 1, 1)
fn padding() {
  h[1].c = h[0].c + h[0].d.xyz * f32(h[0].a + h[0].b);
}
