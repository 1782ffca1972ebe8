// Products of packed weights and tokens on the matrix units of a workgroup: tiles of 128 rows of weights times
// `tile_tokens` tokens, 64 columns a step. The steps of all tiles that a workgroup does follow one another through
// `stages` stages of workgroup memory, which one invocation fills. Two times 128 others multiply; while one half decodes
// weights, the other has the matrix units.
//
// Weights come as they are packed; an invocation decodes its part of a step to registers (pipeline_fields). Halves are the
// left factor as they are: 64 rows by 8 columns, as the packed form has them where there is a pipeline, are read from
// workgroup memory, but for gated products, whose two rows of an invocation are of two matrices. Tokens come as
// pipeline_input has laid them out: for each tile and step, 8 columns after one another of all tokens of the tile. But for
// halves the even ones of 16 columns come first, which is the order that words of bytes and nibbles give two halves in.
import package::byte_fields::weights_kind;
import package::pipeline_fields::{Fragment, Rows, decode_stage, f16_kind, fill_rows, gated, group_pitch, groups_of_tile, ring,
                                  row_words, stage_words, stages, weight_rows, words};

override tile_tokens: u32;
override band: u32;          // rows of tiles that are done together
override splits: u32;        // workgroups that share the steps of a tile
// Of an image under a window, which pipeline_image has laid out: planes of so many positions, 0 without a window.
override plane: u32 = 0;
override window_w: u32 = 1;
override row_positions: u32 = 0;  // of a padded row, all images'
override batch: u32 = 1;
override channel_steps: u32 = 1;  // of 64 channels under a tap

const depth = 64u;
// Whether filling and multiplying are loops of their own, which only a device's own pipeline can do: what it is lowered
// to has barriers.
override separate: bool = false;

const multiplying = 256u;                // invocations that multiply, 128 together
const invocations = multiplying + 128u;  // and 128 of which the first fills
const sums_count = tile_tokens / 2u;
const tile_rows = select(128u, 64u, gated);  // of each matrix
const stage_inputs = depth / 8u * tile_tokens;
const stage_bytes = 4u * 128u * row_words + 16u * stage_inputs;
const_assert stages >= 2u;
const in_memory = weights_kind == f16_kind && !gated;
const_assert weight_rows == 64u || !in_memory;

alias Sums = array<f32, sums_count>;

var<workgroup> inputs: array<vec4<u32>, stages * stage_inputs>;

// What the filling invocation does next: a step of a tile, in a stage for the `round`-th time.
struct Filling {
  tile: u32,
  k: u32,
  stage: u32,
  round: u32,
  end: u32,     // step
  row: u32,     // of the tile's first weights
  tokens: u32,  // where the tile's tokens begin
}

const windowed = plane > 0u;

// Which row of tiles and which tile of tokens a tile is: bands of rows of tiles, in which the tiles of the same tokens
// follow one another, so that tiles that are done at the same time share much of what they read.
fn place_of(tile: u32, row_tiles: u32, token_tiles: u32) -> vec2<u32> {
  let first = tile / (band * token_tiles) * band;
  let rest = tile % (band * token_tiles);
  let rows = min(band, row_tiles - first);
  return vec2<u32>(first + rest % rows, rest / rows);
}

// The first step of share `share` of a tile.
fn first_step(share: u32, steps: u32) -> u32 {
  return share * steps / splits;
}

// The shares of a tile are neighbours: they add to the same outputs.
fn find_tile(f: ptr<function, Filling>, row_tiles: u32, token_tiles: u32, steps: u32) {
  let place = place_of((*f).tile / splits, row_tiles, token_tiles);
  let share = (*f).tile % splits;
  (*f).k = first_step(share, steps);
  (*f).end = first_step(share + 1u, steps);
  (*f).row = place.x * tile_rows;
  if (windowed) {
    (*f).tokens = place.y * tile_tokens;
  } else {
    (*f).tokens = (place.y * steps + (*f).k) * stage_inputs;
  }
}

// Starts the copies of 64 columns of a tile of tokens: they lie together, or 8 in each plane, where those that a tap reads
// are as far from the first as its place in the window.
fn fill_inputs(f: ptr<function, Filling>, packed: ptr<storage, array<vec4<u32>>, read>) {
  let stage = (*f).stage;
  if (windowed) {
    let tap = (*f).k / channel_steps;
    let first = (*f).tokens + tap / window_w * row_positions + tap % window_w * batch;
    let eights = (*f).k % channel_steps * (depth / 8u);
    @unroll for (var i = 0u; i < depth / 8u; i++) {
      stageCopy(&ring, stage, &inputs, stage * stage_inputs + i * tile_tokens, packed, (eights + i) * plane + first,
                tile_tokens);
    }
  } else {
    stageCopy(&ring, stage, &inputs, stage * stage_inputs, packed, (*f).tokens, stage_inputs);
    (*f).tokens += stage_inputs;
  }
}

// Starts the copies of the next step, if there is one: 64 columns of groups of rows, and of a tile of tokens.
// Rows past the last repeat it. Called by one invocation.
fn fill(f: ptr<function, Filling>, w: weights<f32>, w2: weights<f32>, packed: ptr<storage, array<vec4<u32>>, read>,
        tiles: u32, token_tiles: u32, workgroups: u32) {
  if ((*f).tile < tiles) {
    const steps = weightsColumns(w) / depth;
    const row_tiles = (weightsRows(w) + tile_rows - 1u) / tile_rows;
    const last = (weightsRows(w) - 1u) / weight_rows * weight_rows;
    let stage = (*f).stage;
    stageOpen(&ring, stage, (*f).round, stage_bytes);
    fill_inputs(f, packed);
    @unroll for (var n = 0u; n < groups_of_tile; n++) {
      let row = min((*f).row + n % (tile_rows / weight_rows) * weight_rows, last);
      let at = stage * stage_words + n * group_pitch;
      if (gated && n >= groups_of_tile / 2u) {
        fill_rows(stage, (*f).k, w2, row, at);
      } else {
        fill_rows(stage, (*f).k, w, row, at);
      }
    }
    (*f).k++;
    if ((*f).k == (*f).end) {
      (*f).tile += workgroups;
      find_tile(f, row_tiles, token_tiles, steps);
    }
    (*f).stage++;
    if ((*f).stage == stages) {
      (*f).stage = 0u;
      (*f).round++;
    }
  }
}

fn multiply_parts(sums: ptr<function, Sums>, parts: ptr<function, Fragment>, stage: u32) {
  workgroupMatrixMultiplyAccumulate(sums, parts, &inputs, stage * stage_inputs, tile_tokens);
}

// Adds the products of a full stage, which has step k.
fn multiply_step(sums: ptr<function, Sums>, rows: Rows, stage: u32, k: u32, t: u32) {
  if (in_memory) {
    let first = stage * (stage_words / 4u) + t / 128u * (group_pitch / 4u);
    workgroupMatrixMultiplyAccumulate(sums, &words, first, 64u, &inputs, stage * stage_inputs, tile_tokens, depth / 16u);
  } else {
    var parts: Fragment;
    decode_stage(rows, stage, &parts, k, t);
    multiply_parts(sums, &parts, stage);
  }
  workgroupMatrixWait(sums);
}

// Which stage comes next, and how often it was filled before.
struct Turn {
  stage: u32,
  round: u32,
}

fn take_turn(turn: ptr<function, Turn>) {
  (*turn).stage++;
  if ((*turn).stage == stages) {
    (*turn).stage = 0u;
    (*turn).round++;
  }
}

// Multiplies the parts of a step, while the words of the next, k, are loaded.
fn multiply_and_decode(sums: ptr<function, Sums>, parts: ptr<function, Fragment>, next: ptr<function, Fragment>, rows: Rows,
                       turn: ptr<function, Turn>, k: u32, t: u32) {
  let stage = (*turn).stage;
  multiply_parts(sums, parts, stage);
  take_turn(turn);
  stageWait(&ring, (*turn).stage, (*turn).round);
  decode_stage(rows, (*turn).stage, next, k, t);
  workgroupMatrixWait(sums);
  stageRelease(&ring, stage);
}

fn multiply_last(sums: ptr<function, Sums>, parts: ptr<function, Fragment>, turn: ptr<function, Turn>) {
  multiply_parts(sums, parts, (*turn).stage);
  workgroupMatrixWait(sums);
  stageRelease(&ring, (*turn).stage);
  take_turn(turn);
}

// Adds the products of the steps from `first` to before `end` of a tile.
fn multiply_tile(sums: ptr<function, Sums>, rows: Rows, turn: ptr<function, Turn>, first: u32, end: u32, t: u32) {
  if (in_memory) {
    for (var k = first; k < end; k++) {
      let stage = (*turn).stage;
      stageWait(&ring, stage, (*turn).round);
      multiply_step(sums, rows, stage, k, t);
      stageRelease(&ring, stage);
      take_turn(turn);
    }
  } else {
    // Two steps a turn of the loop, so that neither's parts move.
    var even: Fragment;
    var odd: Fragment;
    stageWait(&ring, (*turn).stage, (*turn).round);
    decode_stage(rows, (*turn).stage, &even, first, t);
    var k = first + 2u;
    for (; k < end; k += 2u) {
      multiply_and_decode(sums, &even, &odd, rows, turn, k - 1u, t);
      multiply_and_decode(sums, &odd, &even, rows, turn, k, t);
    }
    if (k == end) {
      multiply_and_decode(sums, &even, &odd, rows, turn, k - 1u, t);
      multiply_last(sums, &odd, turn);
    } else {
      multiply_last(sums, &even, turn);
    }
  }
}

// What an invocation holds of four rows of weights and a token after they are exchanged: of neighbouring rows, those of
// 8 tokens from 8 j; all other sums of the four go to its neighbours.
fn neighbouring(sums: ptr<function, Sums>, j: u32, t: u32) -> vec4f {
  let odd = t / 4u % 2u == 1u;
  let a = vec2f((*sums)[4u * j], (*sums)[4u * j + 2u]);
  let b = vec2f((*sums)[4u * j + 1u], (*sums)[4u * j + 3u]);
  let own = select(a, b, vec2<bool>(odd));
  let given = select(b, a, vec2<bool>(odd));
  let got = vec2f(subgroupShuffleXor(given.x, 4u), subgroupShuffleXor(given.y, 4u));
  return select(vec4f(own, got), vec4f(got, own), vec4<bool>(odd));
}
fn neighbouring_token(j: u32, t: u32) -> u32 {
  return 8u * j + t % 4u * 2u + t / 4u % 2u;
}

// The same of rows that neighbouring invocations hold: of those of one matrix (0 or 1) of a gated tile, or of the eight
// rows that an invocation's first (0) or second one is of. Of 16 tokens from 16 j.
fn of_matrix(sums: ptr<function, Sums>, matrix: u32, j: u32, t: u32) -> vec4f {
  let odd = t / 4u % 2u == 1u;
  let upper = t / 8u % 2u == 1u;
  let a = vec2f((*sums)[8u * j + 2u * matrix], (*sums)[8u * j + 4u + 2u * matrix]);
  let b = vec2f((*sums)[8u * j + 2u * matrix + 1u], (*sums)[8u * j + 5u + 2u * matrix]);
  let given = select(b, a, vec2<bool>(odd));
  let own = select(a, b, vec2<bool>(odd));
  let got = vec2f(subgroupShuffleXor(given.x, 4u), subgroupShuffleXor(given.y, 4u));
  // Rows in pairs, of 8 tokens each.
  let first = vec2f(select(own.x, got.x, odd), select(got.x, own.x, odd));
  let second = vec2f(select(own.y, got.y, odd), select(got.y, own.y, odd));
  let kept = select(first, second, vec2<bool>(upper));
  let sent = select(second, first, vec2<bool>(upper));
  let other = vec2f(subgroupShuffleXor(sent.x, 8u), subgroupShuffleXor(sent.y, 8u));
  return select(vec4f(kept, other), vec4f(other, kept), vec4<bool>(upper));
}
fn matrix_token(j: u32, t: u32) -> u32 {
  return 16u * j + t / 8u % 2u * 8u + t % 4u * 2u + t / 4u % 2u;
}
