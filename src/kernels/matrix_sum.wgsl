// y = the sum of the shares of a matrix product whose columns were divided over workgroups (conv_matrix).
import package::active_rows::active_rows;
import package::parameters::Parameters;

override lanes: u32;

@tensor var<read> shares: tensor<f32>;  // {H = splits, W = positions, C = outputs}
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes)
fn matrix_sum(@builtin(global_invocation_id) at: vec3u) {
  let positions = active_rows(tensorWidth(shares), parameters.tokens);
  let p = at.x / tensorSlices(y);
  let s = at.x % tensorSlices(y);
  if (p >= positions) {
    return;
  }
  var value = vec4f();
  for (var share = 0u; share < tensorHeight(shares); share++) {
    value += tensorLoad(shares, share, p, s);
  }
  const batch = tensorBatch(y);
  const width = tensorWidth(y);
  let place = vec3u(p % batch, p / (batch * width), p / batch % width);
  tensorStore(y, place, s, epilogue(value, place.x, place.y, place.z, s));
}
