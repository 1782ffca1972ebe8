// y = activation(gate x + its bias) * (up x + its bias) for each position, on devices with many narrow lanes; see
// tile_product.wgsl. The activation with the gate's bias is the fusion point `activation`, the other bias `up_bias`.
import package::active_rows::active_rows;
import package::parameters::Parameters;
import package::tile_product::{lanes_o, lanes_p, rows, depth, invocations, tile_positions, Positions, Inputs, Weights,
                               Sums, find_positions, load_inputs, load_weights, put_inputs, put_weights, multiply};
import package::window::{taps, position, input_slices};

@weights var<read> gate: weights<f32>;
@weights var<read> up: weights<f32>;
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

@fusion fn activation(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@fusion fn up_bias(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(invocations)
fn gated_image_tiled(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let t = local.x;
  let first = at.y * tile_positions;
  let first_slice = at.x * lanes_o;
  let tokens = active_rows(tensorWidth(y), parameters.tokens);
  let columns = taps * input_slices(x, x);
  var places: Positions;
  var input_values: Inputs;
  var gate_values: Weights;
  var up_values: Weights;
  var gates: Sums;
  var ups: Sums;
  @unroll for (var r = 0u; r < rows; r++) {
    gates[r] = vec4f();
    ups[r] = vec4f();
  }
  find_positions(y, tokens, first, t, &places);
  load_inputs(x, x, columns, 0u, t, &places, &input_values);
  load_weights(gate, first_slice, columns, 0u, t, &gate_values);
  load_weights(up, first_slice, columns, 0u, t, &up_values);
  for (var begin = 0u; begin < columns; begin += depth) {
    workgroupBarrier();
    put_inputs(t, &input_values);
    put_weights(0u, t, &gate_values);
    put_weights(1u, t, &up_values);
    workgroupBarrier();
    if (begin + depth < columns) {
      load_inputs(x, x, columns, begin + depth, t, &places, &input_values);
      load_weights(gate, first_slice, columns, begin + depth, t, &gate_values);
      load_weights(up, first_slice, columns, begin + depth, t, &up_values);
    }
    multiply(0u, t, &gates);
    multiply(1u, t, &ups);
  }
  let s = first_slice + t % lanes_o;
  @unroll for (var r = 0u; r < rows; r++) {
    let p = position(y, first + t / lanes_o + r * lanes_p);
    if (s < tensorSlices(y) && p.y < tensorHeight(y) && p.x < tokens) {
      let value = activation(gates[r], p.b, p.y, p.x, s) * up_bias(ups[r], p.b, p.y, p.x, s);
      tensorStore(y, p.b, p.y, p.x, s, epilogue(value, p.b, p.y, p.x, s));
    }
  }
}
