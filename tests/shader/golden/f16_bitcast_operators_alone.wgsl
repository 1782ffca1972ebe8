// target: f16
// Words and halves where the compiler cannot reinterpret one as the other.
enable f16;
var<storage, read> words: array<vec2u>;
var<storage, read_write> y: array<vec4<f16>>;
var<storage, read_write> back: array<vec2u>;
var<storage, read_write> f: array<f32>;

@compute @workgroup_size(64)
fn scales(@builtin(local_invocation_index) k: u32) {
  let four = bitcast<vec4<f16>>(words[k]);
  let pair = bitcast<vec2<f16>>(words[k].x);
  y[k] = four * pair.x;
  back[k] = bitcast<vec2u>(four + 1.0h);
  f[k] = bitcast<f32>(pair * 2.0h);
  back[k].x = bitcast<u32>(pair);
}
