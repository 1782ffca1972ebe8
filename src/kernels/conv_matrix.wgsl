// y[p, o] = sum over taps and channels of w[o, tap, c] x[p under tap, c], on matrix units: convolutions as they are,
// and matrices times positions as windows of one tap. A workgroup computes one tile, `splits` of them each a share of
// the columns; their sums are added afterwards (matrix_sum).
import package::active_rows::active_rows;
import package::matrix_operands::{position, find_windows, load_inputs, load_weights, without_padding};
import package::matrix_tile::{depth, stage_size, input_units, invocations, results, result, rows_down, subgroups_down,
                              tile_outputs, tile_positions, weight_units, add_step, keep_sums, kept, put_step};
import package::parameters::Parameters;

override splits: u32;
override in_place: bool;  // y may lie over x, of which the workgroup then reads nothing but its own positions

@weights var<read> w: weights<f32>;
@tensor var<read> x: tensor<f32>;
@tensor var<read> x2: tensor<f32>;
@tensor var<write> y: tensor<f32>;         // whose shape counts positions; unused where there are shares
@tensor var<write> shares: tensor<f32>;    // {H = splits, W = positions, C = outputs}
var<uniform> parameters: Parameters;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(invocations)
fn conv_matrix(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_index) t: u32) {
  let positions = active_rows(tensorBatch(y) * tensorHeight(y) * tensorWidth(y), parameters.tokens);
  let first = at.y * tile_positions;
  let first_output = at.x * tile_outputs;
  let group = t / 32u;
  const steps = (weightsColumns(w) + depth - 1u) / depth;
  const share = (steps + splits - 1u) / splits;
  let begin = at.z * share;
  let end = min(begin + share, steps);

  var windows: array<vec3i, input_units>;
  find_windows(t, first, positions, y, &windows);
  var inputs: array<vec4<u32>, input_units>;
  var weights: array<vec4<u32>, weight_units>;
  var sums: array<result, results>;
  load_inputs(x, x2, begin, t, &windows, &inputs);
  load_weights(w, first_output, begin, t, &weights);
  put_step(0u, t, &inputs, &weights);
  workgroupBarrier();
  for (var step = begin; step < end; step++) {
    let here = (step - begin) % 2u * stage_size;
    if (step + 1u < end) {
      load_inputs(x, x2, step + 1u, t, &windows, &inputs);
      load_weights(w, first_output, step + 1u, t, &weights);
    }
    add_step(here, group, &sums);
    if (step + 1u < end) {
      put_step(stage_size - here, t, &inputs, &weights);
    }
    workgroupBarrier();
  }

  if (in_place) {
    storageBarrier();
  }
  for (var line = 0u; line < subgroups_down; line++) {
    keep_sums(line, group, &sums);
    workgroupBarrier();
    for (var i = t; i < rows_down * (tile_outputs / 4u); i += invocations) {
      let row = i / (tile_outputs / 4u);
      let p = first + line * rows_down + row;
      let s = first_output / 4u + i % (tile_outputs / 4u);
      if (p < positions && s < tensorSlices(y)) {
        let value = without_padding(kept(row, i % (tile_outputs / 4u)), s, tensorChannels(y));
        if (splits > 1u) {
          tensorStore(shares, at.z, p, s, value);
        } else {
          let place = position(p, y);
          tensorStore(y, place, s, epilogue(value, place.x, place.y, place.z, s));
        }
      }
    }
    workgroupBarrier();
  }
}
