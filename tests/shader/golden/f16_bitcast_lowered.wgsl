// Scales in block formats: two halves in a word.
enable f16;
var<storage, read> words: array<u32>;
var<storage, read_write> y: array<f32>;
var<storage, read_write> back: array<u32>;

@compute @workgroup_size(64)
fn scales(@builtin(global_invocation_id) id: vec3u) {
  let pair = bitcast<vec2<f16>>(words[id.x]);
  y[id.x] = f32(pair.x) * f32(words[id.x + 1u] & 15u) + f32(pair.y);
  back[id.x] = bitcast<u32>(pair * 2.0h);
  let four = bitcast<vec4<f16>>(vec2u(words[0], words[1]));
  y[0] = f32(four.w);
}
