// y = activation(gate x) * (up x) on the matrix units of a workgroup (pipeline_tile), with the fusion points of
// gated_linear_rows: an invocation holds sums of the same row of both matrices.
import package::active_rows::active_rows;
import package::matrix_operands::{position, without_padding};
import package::parameters::Parameters;
import package::pipeline_tile::{Filling, Sums, depth, fill, find_tile, invocations, multiply_step, multiplying, matrix_token,
                                of_matrix, place_of, ring, rows_of, separate, stages, tile_rows, tile_tokens};

@weights var<read> gate: weights<f32>;
@weights var<read> up: weights<f32>;
var<storage, read> packed: array<vec4<u32>>;
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

// Stores what an invocation holds of a tile.
fn store(sums: ptr<function, Sums>, place: vec2<u32>, positions: u32, t: u32) {
  let first = place.y * tile_tokens;
  let s = place.x * (tile_rows / 4u) + t / 32u * 2u + t % 32u / 16u;
  @unroll for (var j = 0u; j < tile_tokens / 16u; j++) {
    let gate_sum = of_matrix(sums, 0u, j, t);
    let up_sum = of_matrix(sums, 1u, j, t);
    let p = first + matrix_token(j, t);
    if (p < positions && s < tensorSlices(y)) {
      let at = position(p, y);
      let gated = activation(gate_sum, at.x, at.y, at.z, s);
      let value = gated * up_bias(up_sum, at.x, at.y, at.z, s);
      tensorStore(y, at, s,
                  epilogue(without_padding(value, s, tensorChannels(y)), at.x, at.y, at.z, s));
    }
  }
}

@compute @workgroup_size(invocations)
fn gated_pipeline(@builtin(workgroup_id) at: vec3u, @builtin(num_workgroups) groups: vec3u,
                  @builtin(local_invocation_index) t: u32) {
  let positions = active_rows(tensorBatch(y) * tensorHeight(y) * tensorWidth(y), parameters.tokens);
  let token_tiles = (positions + tile_tokens - 1u) / tile_tokens;
  const row_tiles = (weightsRows(gate) + tile_rows - 1u) / tile_rows;
  const steps = weightsColumns(gate) / depth;
  let tiles = token_tiles * row_tiles;
  let rows = rows_of(t);

  stagesStart(&ring, select(invocations, multiplying, separate));
  let fills = t == multiplying;
  var filling = Filling(at.x, 0u, 0u, 0u, 0u, 0u);
  if (separate) {
    if (t >= multiplying) {
      workgroupRegisters(24u);
      if (fills) {
        find_tile(&filling, row_tiles, token_tiles, steps);
        while (filling.tile < tiles) {
          fill(&filling, gate, up, &packed, tiles, token_tiles, groups.x);
        }
      }
    } else {
      workgroupRegisters(240u);
      var stage = 0u;
      var round = 0u;
      for (var tile = at.x; tile < tiles; tile += groups.x) {
        var sums: Sums;
        for (var k = 0u; k < steps; k++) {
          stageWait(&ring, stage, round);
          multiply_step(&sums, rows, stage, t);
          stageRelease(&ring, stage);
          stage++;
          if (stage == stages) {
            stage = 0u;
            round++;
          }
        }
        store(&sums, place_of(tile, row_tiles, token_tiles), positions, t);
      }
    }
  } else {
    if (fills) {
      find_tile(&filling, row_tiles, token_tiles, steps);
      for (var i = 0u; i < stages - 1u; i++) {
        fill(&filling, gate, up, &packed, tiles, token_tiles, groups.x);
      }
    }
    var stage = 0u;
    var round = 0u;
    for (var tile = at.x; tile < tiles; tile += groups.x) {
      var sums: Sums;
      for (var k = 0u; k < steps; k++) {
        if (fills) {
          fill(&filling, gate, up, &packed, tiles, token_tiles, groups.x);
        }
        stageWait(&ring, stage, round);
        if (t < multiplying) {
          multiply_step(&sums, rows, stage, t);
        }
        stageRelease(&ring, stage);
        stage++;
        if (stage == stages) {
          stage = 0u;
          round++;
        }
      }
      if (t < multiplying) {
        store(&sums, place_of(tile, row_tiles, token_tiles), positions, t);
      }
    }
  }
}
