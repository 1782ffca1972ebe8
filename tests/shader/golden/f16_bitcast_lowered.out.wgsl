@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> back: array<u32>;

@compute @workgroup_size(64, 1, 1)
fn scales(@builtin(global_invocation_id) id: vec3<u32>) {
  let pair = unpack2x16float(words[id.x]);
  y[id.x] = pair.x * f32(words[id.x + 1u] & 15u) + pair.y;
  back[id.x] = pack2x16float(pair * 2.0f);
  let four = vec4<f32>(unpack2x16float(words[0]), unpack2x16float(words[1]));
  y[0] = four.w;
}
