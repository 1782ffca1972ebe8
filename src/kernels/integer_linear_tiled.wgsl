// y[t, r] = sum over c of w[r, c] scale[t, c / 32] q[t, c] of integers q, of many tokens; with two matrices
// activation(gate x) * (up x). See integer_tile.wgsl.
import package::active_rows::active_rows;
import package::integer_tile::{Inputs, RowChunk, Sums, all_chunks, chunks, invocations, lanes_o, lanes_p, matrices, rows,
                               tile_positions, load_inputs, load_weights, multiply, put_inputs, put_weights};
import package::parameters::Parameters;

@weights var<read> w: weights<f32>;
@weights var<read> up: weights<f32>;
@tensor var<read> q: tensor<u32>;
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

@compute @workgroup_size(invocations)
fn integer_linear_tiled(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let t = local.x;
  let first = at.y * tile_positions;
  let first_slice = at.x * lanes_o;
  let tokens = active_rows(tensorWidth(y), parameters.tokens);
  var inputs: Inputs;
  var sums: Sums;
  load_inputs(q, scale, first, tokens, 0u, t, &inputs);
  var gate_weights = load_weights(w, 4u * first_slice, 0u, t);
  var up_weights: RowChunk;
  if (matrices > 1u) {
    up_weights = load_weights(up, 4u * first_slice, 0u, t);
  }
  for (var begin = 0u; begin < all_chunks; begin += chunks) {
    workgroupBarrier();
    put_inputs(t, &inputs);
    put_weights(0u, t, gate_weights);
    if (matrices > 1u) {
      put_weights(1u, t, up_weights);
    }
    workgroupBarrier();
    if (begin + chunks < all_chunks) {
      load_inputs(q, scale, first, tokens, begin + chunks, t, &inputs);
      gate_weights = load_weights(w, 4u * first_slice, begin + chunks, t);
      if (matrices > 1u) {
        up_weights = load_weights(up, 4u * first_slice, begin + chunks, t);
      }
    }
    multiply(t, &sums);
  }
  let s = first_slice + t % lanes_o;
  var scales = vec4f();
  var up_scales = vec4f();
  if (s < tensorSlices(y)) {
    scales = row_scales(s);
    if (matrices > 1u) {
      up_scales = up_row_scales(s);
    }
  }
  @unroll for (var r = 0u; r < rows; r++) {
    let token = first + t / lanes_o + r * lanes_p;
    if (s < tensorSlices(y) && token < tokens) {
      var value = sums[r] * scales;
      if (matrices > 1u) {
        value = activation(value, 0u, 0u, token, s) *
                up_bias(sums[(matrices - 1u) * rows + r] * up_scales, 0u, 0u, token, s);
      }
      tensorStore(y, token, s, epilogue(value, 0u, 0u, token, s));
    }
  }
}
