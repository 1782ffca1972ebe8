// A convolution on devices with many narrow lanes; see tile_product.wgsl. Also a matrix times each position: a window
// of one tap.
import package::active_rows::active_rows;
import package::parameters::Parameters;
import package::tile_product::{lanes_o, lanes_p, rows, depth, invocations, tile_positions, Positions, Inputs, Weights,
                               Sums, find_positions, load_inputs, load_weights, put_inputs, put_weights, multiply};
import package::window::{taps, position, input_slices};

@weights var<read> w: weights<f32>;
@tensor var<read> x: tensor<f32>;
@tensor var<read> x2: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(invocations)
fn conv_tiled(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let t = local.x;
  let first = at.y * tile_positions;
  let first_slice = at.x * lanes_o;
  let tokens = active_rows(tensorWidth(y), parameters.tokens);
  let columns = taps * input_slices(x, x2);
  var places: Positions;
  var input_values: Inputs;
  var weight_values: Weights;
  var sums: Sums;
  @unroll for (var r = 0u; r < rows; r++) {
    sums[r] = vec4f();
  }
  find_positions(y, tokens, first, t, &places);
  load_inputs(x, x2, columns, 0u, t, &places, &input_values);
  load_weights(w, first_slice, columns, 0u, t, &weight_values);
  for (var begin = 0u; begin < columns; begin += depth) {
    workgroupBarrier();
    put_inputs(t, &input_values);
    put_weights(0u, t, &weight_values);
    workgroupBarrier();
    if (begin + depth < columns) {
      load_inputs(x, x2, columns, begin + depth, t, &places, &input_values);
      load_weights(w, first_slice, columns, begin + depth, t, &weight_values);
    }
    multiply(0u, t, &sums);
  }
  let s = first_slice + t % lanes_o;
  @unroll for (var r = 0u; r < rows; r++) {
    let p = position(y, first + t / lanes_o + r * lanes_p);
    if (s < tensorSlices(y) && p.y < tensorHeight(y) && p.x < tokens) {
      tensorStore(y, p.b, p.y, p.x, s, epilogue(sums[r], p.b, p.y, p.x, s));
    }
  }
}
