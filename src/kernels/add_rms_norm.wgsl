// sum = x + residual, y = sum / sqrt(mean of squares of sum over the channels + epsilon) * gamma. A workgroup a token.
import package::reduce::{lanes, workgroup_sum};

@tensor var<read> x: tensor<f32>;
@tensor var<read> residual: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
@tensor var<write> sum: tensor<f32>;
@tensor var<write> y: tensor<f32>;

override epsilon: f32;

@compute @workgroup_size(lanes)
fn add_rms_norm(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let token = group.x;
  let lane = local.x;
  var squares = 0.0;
  for (var s = lane; s < tensorSlices(x); s += lanes) {
    let v = tensorLoad(x, token, s) + tensorLoad(residual, token, s);
    tensorStore(sum, token, s, v);
    squares += dot(v, v);
  }
  let scale = inverseSqrt(workgroup_sum(squares, lane) / f32(tensorChannels(x)) + epsilon);
  // The sum is computed again: an invocation may not read what it wrote to an output.
  for (var s = lane; s < tensorSlices(x); s += lanes) {
    let v = tensorLoad(x, token, s) + tensorLoad(residual, token, s);
    tensorStore(y, token, s, v * scale * tensorLoad(gamma, s));
  }
}
