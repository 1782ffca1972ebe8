// One tile of a matrix product on matrix units: tile_positions rows of x times tile_outputs rows of weights.
//
// Both are brought to workgroup memory `depth` columns at a time, as f16, while the subgroups multiply the step before:
// an invocation holds its part of the next step in registers until then, and the two halves of the memory take turns.
// Rows lie 40 f16 apart, so that the eight rows that ldmatrix reads at once are on different banks.
override tile_positions: u32;    // multiples of 16 * subgroups_down
override tile_outputs: u32;      // and of 16 * subgroups_across and 32
override subgroups_down: u32;
override subgroups_across: u32;
override own_sums: bool = false; // sums leave through memory of their own: where an array holds one kind of component

alias left = subgroup_matrix_left<f16, 16, 16>;
alias right = subgroup_matrix_right<f16, 16, 16>;
alias result = subgroup_matrix_result<f32, 16, 16>;

const depth = 32u;
const invocations = 32u * subgroups_down * subgroups_across;
const rows_down = tile_positions / subgroups_down;     // of a subgroup
const columns_across = tile_outputs / subgroups_across;
const down = rows_down / 16u;
const across = columns_across / 16u;
const results = down * across;
// Units of eight f16, four a row.
const input_units = tile_positions * 4u / invocations;  // of an invocation
const weight_units = tile_outputs * 4u / invocations;
const_assert down * 16u * subgroups_down == tile_positions;
const_assert across * 16u * subgroups_across == tile_outputs;
const_assert input_units * invocations == tile_positions * 4u;
const_assert weight_units * invocations == tile_outputs * 4u;

const pitch = depth / 8u + 1u;
const stage_size = (tile_positions + tile_outputs) * pitch;
// Sums leave through the same memory, or their own, the rows of one line of subgroups at a time, f32 in rows a little apart.
const sums_pitch = tile_outputs + 8u;
const_assert own_sums || rows_down * sums_pitch <= 8u * stage_size;

var<workgroup> tile: array<vec4<u32>, 2u * stage_size>;
var<workgroup> tile_sums: array<vec4f, rows_down * sums_pitch / 4u>;

// The row and unit (0 to 3) of x that unit `n` of invocation `t` is: four invocations share a row of 64 bytes, and
// rows four apart are neighbours, so that eight stores of 16 bytes meet all banks.
fn input_row(t: u32, n: u32) -> u32 {
  let u = t + n * invocations;
  return u / 32u * 8u + u / 4u % 2u * 4u + u / 8u % 4u;
}
fn input_unit(t: u32) -> u32 {
  return t % 4u;
}

// The same of weights: a row an invocation, as rows of packed weights are interleaved.
fn weight_row(t: u32, n: u32) -> u32 {
  return (t + n * invocations) % tile_outputs;
}
fn weight_unit(t: u32, n: u32) -> u32 {
  return (t + n * invocations) / tile_outputs;
}

fn put_step(at: u32, t: u32, inputs: ptr<function, array<vec4<u32>, input_units>>,
            weights: ptr<function, array<vec4<u32>, weight_units>>) {
  @unroll for (var n = 0u; n < input_units; n++) {
    tile[at + input_row(t, n) * pitch + input_unit(t)] = (*inputs)[n];
  }
  @unroll for (var n = 0u; n < weight_units; n++) {
    tile[at + (tile_positions + weight_row(t, n)) * pitch + weight_unit(t, n)] = (*weights)[n];
  }
}

// Adds the products of the step at `at` for subgroup `group`.
fn add_step(at: u32, group: u32, sums: ptr<function, array<result, results>>) {
  let row = group / subgroups_across * rows_down;
  let column = group % subgroups_across * columns_across;
  @unroll for (var k = 0u; k < depth; k += 16u) {
    var a: array<left, down>;
    @unroll for (var i = 0u; i < down; i++) {
      a[i] = subgroupMatrixLoad<left>(&tile, (at + (row + i * 16u) * pitch) * 8u + k, false, pitch * 8u);
    }
    @unroll for (var j = 0u; j < across; j++) {
      let first = at + (tile_positions + column + j * 16u) * pitch;
      let b = subgroupMatrixLoad<right>(&tile, first * 8u + k, true, pitch * 8u);
      @unroll for (var i = 0u; i < down; i++) {
        (*sums)[i * across + j] = subgroupMatrixMultiplyAccumulate(a[i], b, (*sums)[i * across + j]);
      }
    }
  }
}

// Line `line` of subgroups lays its sums down; kept() reads them behind a barrier.
fn keep_sums(line: u32, group: u32, sums: ptr<function, array<result, results>>) {
  if (group / subgroups_across == line) {
    let column = group % subgroups_across * columns_across;
    @unroll for (var i = 0u; i < down; i++) {
      @unroll for (var j = 0u; j < across; j++) {
        let first = i * 16u * sums_pitch + column + j * 16u;
        if (own_sums) {
          subgroupMatrixStore(&tile_sums, first, (*sums)[i * across + j], false, sums_pitch);
        } else {
          subgroupMatrixStore(&tile, first, (*sums)[i * across + j], false, sums_pitch);
        }
      }
    }
  }
}

// Outputs 4 s to 4 s + 3 of a row of the line.
fn kept(row: u32, s: u32) -> vec4f {
  if (own_sums) {
    return tile_sums[row * (sums_pitch / 4u) + s];
  }
  return bitcast<vec4f>(tile[row * (sums_pitch / 4u) + s]);
}
