// Rotary embedding of a pair, as kernels write it.
// tensor: x buffer f16 1,1,8,1,64
// tensor: y buffer f16 1,1,8,1,64
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;
struct Parameters {
  start: u32,
}
var<uniform> parameters: Parameters;
override base: f32 = 10000.0;

@compute @workgroup_size(8, 8)
fn rotate_pairs(@builtin(global_invocation_id) id: vec3u) {
  let half_slices = tensorSlices(x) / 2u;
  if (id.x >= half_slices || id.y >= tensorWidth(x)) {
    return;
  }
  let position = f32(parameters.start + id.y);
  let channel = vec4f(vec4u(id.x * 4u) + vec4u(0u, 1u, 2u, 3u));
  let angle = position * pow(vec4f(base), -2.0 * channel / f32(tensorChannels(x)));
  let low = tensorLoad(x, id.y, id.x);
  let high = tensorLoad(x, id.y, id.x + half_slices);
  tensorStore(y, id.y, id.x, low * cos(angle) - high * sin(angle));
  tensorStore(y, id.y, id.x + half_slices, low * sin(angle) + high * cos(angle));
}
