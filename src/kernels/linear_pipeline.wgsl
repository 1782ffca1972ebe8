// y[p, o] = sum over columns of w[o, c] x[p, c], or where it is gated activation(w x) * (up x), on the matrix units of a
// workgroup (pipeline_tile), with the fusion points of linear_rows and gated_linear_rows. Or a convolution, whose columns
// are those of every tap. As many workgroups run as the
// device holds at once; each does every so manieth tile, neighbours at about the same time.
import package::active_rows::active_rows;
import package::byte_fields::has_row_scale;
import package::matrix_operands::{position, without_padding};
import package::parameters::Parameters;
import package::pipeline_fields::{gated, ring, rows_of, stages};
import package::pipeline_tile::{Filling, Sums, Turn, batch, depth, fill, find_tile, first_step, in_memory, invocations,
                                matrix_token, multiply_step, multiply_tile, multiplying, neighbouring,
                                neighbouring_token, of_matrix, place_of, row_positions, separate, splits, take_turn,
                                tile_rows, tile_tokens, windowed};

@weights var<read> w: weights<f32>;
@weights var<read> up: weights<f32>;  // read where it is gated
var<storage, read> packed: array<vec4<u32>>;
@tensor var<write> y: tensor<f32>;
@tensor var<write> shares: tensor<f32>;  // {H = splits, W = positions, C = rows}: what matrix_sum adds, where there are some
var<uniform> parameters: Parameters;

// Of formats with a scale a row those of rows 4 s to 4 s + 3.
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

// Where number p of a tile's positions is: under a window padded rows are counted, whose last columns are none of y.
fn place_in(p: u32, positions: u32) -> vec3u {
  if (windowed) {
    let rest = p % row_positions;
    let column = rest / batch;
    let is_of_y = p < positions && column < tensorWidth(y);
    return vec3u(rest % batch, select(tensorHeight(y), p / row_positions, is_of_y), column);
  }
  let place = position(p, y);
  return select(vec3u(0u, tensorHeight(y), 0u), place, vec3<bool>(p < positions));
}

fn put(product: vec4f, p: u32, s: u32, share: u32, positions: u32) {
  let at = place_in(p, positions);
  if (at.y < tensorHeight(y) && s < tensorSlices(y)) {
    var sum = product;
    if (has_row_scale) {
      sum *= row_scales(s);
    }
    if (splits > 1u) {
      tensorStore(shares, share, (at.y * tensorWidth(y) + at.z) * tensorBatch(y) + at.x, s, sum);
    } else {
      let value = without_padding(sum, s, tensorChannels(y));
      tensorStore(y, at, s, epilogue(value, at.x, at.y, at.z, s));
    }
  }
}

fn put_gated(gate_product: vec4f, up_product: vec4f, p: u32, s: u32, positions: u32) {
  if (p < positions && s < tensorSlices(y)) {
    let at = position(p, y);
    var gate_sum = gate_product;
    var up_sum = up_product;
    if (has_row_scale) {
      gate_sum *= row_scales(s);
      up_sum *= up_row_scales(s);
    }
    let product = activation(gate_sum, at.x, at.y, at.z, s) * up_bias(up_sum, at.x, at.y, at.z, s);
    tensorStore(y, at, s, epilogue(without_padding(product, s, tensorChannels(y)), at.x, at.y, at.z, s));
  }
}

// Stores what an invocation holds of a tile: a row of tiles and a tile of tokens.
fn store(sums: ptr<function, Sums>, tile: u32, row_tiles: u32, token_tiles: u32, positions: u32, t: u32) {
  let place = place_of(tile / splits, row_tiles, token_tiles);
  let share = tile % splits;
  let first = place.y * tile_tokens;
  let s = place.x * (tile_rows / 4u) + t / 32u * (tile_rows / 32u);
  if (in_memory || gated) {
    @unroll for (var j = 0u; j < tile_tokens / 16u; j++) {
      let p = first + matrix_token(j, t);
      let a = of_matrix(sums, 0u, j, t);
      let b = of_matrix(sums, 1u, j, t);
      if (gated) {
        put_gated(a, b, p, s + t % 32u / 16u, positions);
      } else {
        put(a, p, s + t % 32u / 16u, share, positions);
        put(b, p, s + 2u + t % 32u / 16u, share, positions);
      }
    }
  } else {
    @unroll for (var j = 0u; j < tile_tokens / 8u; j++) {
      put(neighbouring(sums, j, t), first + neighbouring_token(j, t), s + t % 32u / 8u, share, positions);
    }
  }
}

@compute @workgroup_size(invocations)
fn linear_pipeline(@builtin(workgroup_id) at: vec3u, @builtin(num_workgroups) groups: vec3u,
                   @builtin(local_invocation_index) t: u32) {
  var positions = active_rows(tensorBatch(y) * tensorHeight(y) * tensorWidth(y), parameters.tokens);
  if (windowed) {
    positions = tensorHeight(y) * row_positions;
  }
  let token_tiles = (positions + tile_tokens - 1u) / tile_tokens;
  const row_tiles = (weightsRows(w) + tile_rows - 1u) / tile_rows;
  const steps = weightsColumns(w) / depth;
  let tiles = token_tiles * row_tiles * splits;
  let rows = rows_of(t);

  stagesStart(&ring, select(invocations, multiplying, separate));
  let fills = t == multiplying;
  var filling = Filling(at.x, 0u, 0u, 0u, 0u, 0u, 0u);
  var turn: Turn;
  if (separate) {
    if (t >= multiplying) {
      workgroupRegisters(24u);
      if (fills) {
        find_tile(&filling, row_tiles, token_tiles, steps);
        while (filling.tile < tiles) {
          fill(&filling, w, up, &packed, tiles, token_tiles, groups.x);
        }
      }
    } else {
      workgroupRegisters(240u);
      for (var tile = at.x; tile < tiles; tile += groups.x) {
        var sums: Sums;
        multiply_tile(&sums, rows, &turn, first_step(tile % splits, steps), first_step(tile % splits + 1u, steps), t);
        store(&sums, tile, row_tiles, token_tiles, positions, t);
      }
    }
  } else {
    if (fills) {
      find_tile(&filling, row_tiles, token_tiles, steps);
      for (var i = 0u; i < stages - 1u; i++) {
        fill(&filling, w, up, &packed, tiles, token_tiles, groups.x);
      }
    }
    for (var tile = at.x; tile < tiles; tile += groups.x) {
      var sums: Sums;
      let end = first_step(tile % splits + 1u, steps);
      for (var k = first_step(tile % splits, steps); k < end; k++) {
        if (fills) {
          fill(&filling, w, up, &packed, tiles, token_tiles, groups.x);
        }
        stageWait(&ring, turn.stage, turn.round);
        if (t < multiplying) {
          multiply_step(&sums, rows, turn.stage, k, t);
        }
        stageRelease(&ring, turn.stage);
        take_turn(&turn);
      }
      if (t < multiplying) {
        store(&sums, tile, row_tiles, token_tiles, positions, t);
      }
    }
  }
}
