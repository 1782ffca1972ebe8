// y = x / sqrt(mean of squares of x over the channels + epsilon) * gamma. A workgroup a token.
import package::parameters::Parameters;
import package::reduce::{lanes, workgroup_sum};

@tensor var<read> x: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

override epsilon: f32;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes)
fn rms_norm(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let token = group.x;
  let lane = local.x;
  var squares = 0.0;
  for (var s = lane; s < tensorSlices(x); s += lanes) {
    let v = tensorLoad(x, token, s);
    squares += dot(v, v);
  }
  let scale = inverseSqrt(workgroup_sum(squares, lane) / f32(tensorChannels(x)) + epsilon);
  for (var s = lane; s < tensorSlices(x); s += lanes) {
    tensorStore(y, token, s, epilogue(tensorLoad(x, token, s) * scale * tensorLoad(gamma, s), 0u, 0u, token, s));
  }
}
