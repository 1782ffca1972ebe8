// y = activation(gate x) * (up x) on matrix units, with the fusion points of gated_linear_rows: a tile holds rows of both matrices, the gate's
// in its first half, so that a product of the one meets that of the other where sums are laid down.
import package::active_rows::active_rows;
import package::matrix_operands::{position, find_windows, load_inputs, load_unit, without_padding};
import package::matrix_tile::{depth, stage_size, input_units, invocations, results, result, rows_down, subgroups_down,
                              tile_outputs, tile_positions, weight_row, weight_unit, weight_units,
                              add_step, keep_sums, kept, put_step};
import package::parameters::Parameters;

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

const outputs = tile_outputs / 2u;

fn load_both(first: u32, step: u32, t: u32, units: ptr<function, array<vec4<u32>, weight_units>>) {
  @unroll for (var n = 0u; n < weight_units; n++) {
    let row = weight_row(t, n);
    if (row < outputs) {
      (*units)[n] = load_unit(gate, first + row, step, weight_unit(t, n));
    } else {
      (*units)[n] = load_unit(up, first + row - outputs, step, weight_unit(t, n));
    }
  }
}

@compute @workgroup_size(invocations)
fn gated_matrix(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_index) t: u32) {
  let positions = active_rows(tensorBatch(y) * tensorHeight(y) * tensorWidth(y), parameters.tokens);
  let first = at.y * tile_positions;
  let first_output = at.x * outputs;
  let group = t / 32u;
  const steps = (weightsColumns(gate) + depth - 1u) / depth;

  var windows: array<vec3i, input_units>;
  find_windows(t, first, positions, y, &windows);
  var inputs: array<vec4<u32>, input_units>;
  var weights: array<vec4<u32>, weight_units>;
  var sums: array<result, results>;
  load_inputs(x, x, 0u, t, &windows, &inputs);
  load_both(first_output, 0u, t, &weights);
  put_step(0u, t, &inputs, &weights);
  workgroupBarrier();
  for (var step = 0u; step < steps; step++) {
    let here = step % 2u * stage_size;
    if (step + 1u < steps) {
      load_inputs(x, x, step + 1u, t, &windows, &inputs);
      load_both(first_output, step + 1u, t, &weights);
    }
    add_step(here, group, &sums);
    if (step + 1u < steps) {
      put_step(stage_size - here, t, &inputs, &weights);
    }
    workgroupBarrier();
  }

  for (var line = 0u; line < subgroups_down; line++) {
    keep_sums(line, group, &sums);
    workgroupBarrier();
    for (var i = t; i < rows_down * (outputs / 4u); i += invocations) {
      let row = i / (outputs / 4u);
      let p = first + line * rows_down + row;
      let s = first_output / 4u + i % (outputs / 4u);
      if (p < positions && s < tensorSlices(y)) {
        let place = position(p, y);
        let gated = activation(kept(row, i % (outputs / 4u)), place.x, place.y, place.z, s);
        var value = up_bias(kept(row, outputs / 4u + i % (outputs / 4u)), place.x, place.y, place.z, s);
        value = without_padding(gated * value, s, tensorChannels(y));
        tensorStore(y, place, s, epilogue(value, place.x, place.y, place.z, s));
      }
    }
    workgroupBarrier();
  }
}
