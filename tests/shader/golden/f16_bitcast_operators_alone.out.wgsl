enable f16;

@group(0) @binding(0) var<storage, read> words: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> back: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> f: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn scales(@builtin(local_invocation_index) k: u32) {
  let four = bitcast<vec4<f16>>(words[k]);
  let pair = bitcast<vec2<f16>>(words[k].x);
  y[k] = four * pair.x;
  back[k] = bitcast<vec2<u32>>(four + 1.0h);
  f[k] = bitcast<f32>(pair * 2.0h);
  back[k].x = bitcast<u32>(pair);
}
