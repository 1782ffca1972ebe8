// Without half arithmetic f16 is f32 in registers and stays two bytes in memory.
enable f16;
struct Block {
  scale: f16,
  offset: f16,
  words: array<u32, 4>,
}
var<storage, read> x: array<f16>;
var<storage, read> blocks: array<Block>;
var<storage, read_write> y: array<vec4<f16>>;
var<storage, read_write> z: array<f16>;

@compute @workgroup_size(64)
fn halves(@builtin(global_invocation_id) id: vec3u) {
  let k = id.x;
  let a = x[k] * x[k + 1u] + 0.5h;
  let s = f32(blocks[k].scale) * f32(blocks[k].words[1]) + f32(blocks[k].offset);
  y[k] = vec4<f16>(vec4f(f32(a), s, 1.0, 2.0));
  y[k + 1u].y = f16(s);
  y[k + 2u] = y[k] * a;
  z[k] += a;
  z[0] = f16(s) + 1.0h;
  z[1] = y[3].z + y[k][k % 4u];
}
