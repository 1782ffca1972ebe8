struct Block {
  scale: f16,
  offset: f16,
  words: array<u32, 4>,
}
@binding(0) var<storage, read> x: array<f16>;
@binding(1) var<storage, read> blocks: array<Block>;
@binding(2) var<storage, read_write> y: array<vec4<f16>>;
@binding(3) var<storage, read_write> z: array<f16>;

@compute @workgroup_size(64, 1, 1)
fn halves(@builtin(global_invocation_id) id: vec3<u32>) {
  let a: f32 = (f32(x[id.x]) * f32(x[id.x + 1u])) + 0.5f;
  let s: f32 = (f32(blocks[id.x].scale) * f32(blocks[id.x].words[1i])) + f32(blocks[id.x].offset);
  y[id.x] = vec4<f16>(vec4<f32>(a, s, 1f, 2f));
  y[id.x + 1u].y = f16(s);
  y[id.x + 2u] = vec4<f16>(vec4<f32>(y[id.x]) * a);
  z[id.x] = f16(f32(z[id.x]) + a);
  z[0i] = f16(quantizeToF16(s) + 1f);
  z[1i] = f16(f32(y[3i].z) + f32(y[id.x][id.x % 4u]));
}
