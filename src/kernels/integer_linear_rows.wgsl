// y[t, r] = sum over c of w[r, c] scale[t, c / 32] q[t, c] of integers q, for devices with many narrow lanes; with two
// matrices activation(gate x) * (up x). See integer_rows.wgsl. Of one token the integers are made here, from x.
import package::active_rows::active_rows;
import package::integer_rows::{invocations, matrices, row_lanes, splits, stages, tile, add_row, gathered, stage};
import package::parameters::Parameters;

@weights var<read> w: weights<f32>;
@weights var<read> up: weights<f32>;
@tensor var<read> x: tensor<f32>;      // where it is staged
@tensor var<read> q: tensor<u32>;      // elsewhere these two
@tensor var<read> scale: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

// The scales of rows 4 s to 4 s + 3, where the format has them.
@fusion fn row_scales(s: u32) -> vec4f {
  return vec4f(1.0);
}

@fusion fn up_row_scales(s: u32) -> vec4f {
  return vec4f(1.0);
}

@fusion fn activation(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@fusion fn up_bias(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(row_lanes, splits)
fn integer_linear_rows(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first = at.y * tile;
  let tokens = active_rows(tensorWidth(y), parameters.tokens);
  let row = at.x * row_lanes + local.x;
  let invocation = local.y * row_lanes + local.x;
  if (stages) {
    stage(x, invocation);
  }
  add_row(w, q, scale, 0u, row, local.x, local.y, first, tokens);
  if (matrices > 1u) {
    add_row(up, q, scale, 1u, row, local.x, local.y, first, tokens);
  }
  workgroupBarrier();
  for (var i = invocation; i < tile * row_lanes / 4u; i += invocations) {
    let t = i / (row_lanes / 4u);
    let place = i % (row_lanes / 4u);
    let s = at.x * (row_lanes / 4u) + place;
    if (first + t < tokens && s < tensorSlices(y)) {
      var value = gathered(0u, t, place) * row_scales(s);
      if (matrices > 1u) {
        value = activation(value, 0u, 0u, first + t, s) *
                up_bias(gathered(1u, t, place) * up_row_scales(s), 0u, 0u, first + t, s);
      }
      tensorStore(y, first + t, s, epilogue(value, 0u, 0u, first + t, s));
    }
  }
}
