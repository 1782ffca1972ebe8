struct Head {
  @align(16) a: u32,
  @size(12) b: u32,
  c: vec3f,
  d: vec4f,
}

var<storage, read_write> h: array<Head>;

@compute @workgroup_size(1)
fn padding() {
  h[1].c = h[0].c + vec3f(h[0].d.xyz) * f32(h[0].a + h[0].b);
}
