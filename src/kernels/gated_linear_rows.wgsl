// y = activation(gate x) * (up x): linear_rows twice in one pass over x. The activation, with the gate's bias, is the
// fusion point `activation`, the other bias is `up_bias`.
import package::active_rows::active_rows;
import package::parameters::Parameters;
import package::row_product::{tile, lanes, splits, add_rows, partials, gathered};

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

@compute @workgroup_size(lanes, splits)
fn gated_linear_rows(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first = at.y * tile;
  let tokens = active_rows(tensorWidth(x), parameters.tokens);
  let row = at.x * lanes + local.x;
  var gate_sums: array<f32, tile>;
  var up_sums: array<f32, tile>;
  add_rows(gate, x, row, local.y, first, tokens, &gate_sums);
  add_rows(up, x, row, local.y, first, tokens, &up_sums);

  // Both products pass through the same workgroup memory, one after the other; an invocation keeps its gate slices.
  const kept = (tile * lanes / 4u + lanes * splits - 1u) / (lanes * splits);
  var gates: array<vec4f, kept>;
  let invocation = local.y * lanes + local.x;
  @unroll for (var t = 0u; t < tile; t++) {
    partials[(t * splits + local.y) * lanes + local.x] = gate_sums[t];
  }
  workgroupBarrier();
  @unroll for (var n = 0u; n < kept; n++) {
    let i = invocation + n * lanes * splits;
    if (i < tile * lanes / 4u) {
      gates[n] = gathered(i / (lanes / 4u), i % (lanes / 4u));
    }
  }
  workgroupBarrier();
  @unroll for (var t = 0u; t < tile; t++) {
    partials[(t * splits + local.y) * lanes + local.x] = up_sums[t];
  }
  workgroupBarrier();
  @unroll for (var n = 0u; n < kept; n++) {
    let i = invocation + n * lanes * splits;
    if (i < tile * lanes / 4u) {
      let t = i / (lanes / 4u);
      let s = at.x * (lanes / 4u) + i % (lanes / 4u);
      if (first + t < tokens && s < tensorSlices(y)) {
        let value = activation(gates[n], 0u, 0u, first + t, s) *
                    up_bias(gathered(t, i % (lanes / 4u)), 0u, 0u, first + t, s);
        tensorStore(y, first + t, s, epilogue(value, 0u, 0u, first + t, s));
      }
    }
  }
}
