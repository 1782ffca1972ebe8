// Products of packed weights and tokens on the matrix units of a workgroup: tiles of 128 rows of weights times
// `tile_tokens` tokens, 64 columns a step. The steps of all tiles that a workgroup does follow one another through
// `stages` stages of workgroup memory, which one invocation fills. Two times 128 others multiply; while one half decodes
// weights, the other has the matrix units.
//
// Weights come as they are packed, words of `weight_rows` rows interleaved; an invocation decodes its part of a step to
// registers, as the left factor. Halves are that as they are: 64 rows by 8 columns, as the packed form has them where
// there is a pipeline, are read from workgroup memory, but for gated products, whose two rows of an invocation are of two
// matrices. Of superblocks a step has a part, as half_fields' pieces: scales first, then upper bits, then nibbles. Tokens come as pipeline_input has laid them out: for each tile and step, 8 columns after one another of all
// tokens of the tile. For bytes and nibbles the even ones of 16 columns come first, which is the order that their words
// give two halves in.
import package::packed_fields::{half_of, scale_and_minimum};

override tile_tokens: u32;
override stages: u32;        // at least 2
override weights_kind: u32;  // 1: q4_0, 2: q8_0, 3: f16, 4: q4_k, 5: q5_k, 6: q6_k, 7: q4_1, 8: i8c, 9: i4c
override weight_rows: u32;   // whose words are interleaved: 32 or 64
override gated: bool;        // half of a tile's rows are of a second matrix
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
const row_words = array<u32, 10>(0u, 9u, 17u, 32u, 12u, 20u, 29u, 10u, 16u, 8u)[weights_kind];  // of 64 columns
const has_row_scale = weights_kind >= 8u;  // which stored sums are multiplied with
const shares_scales = weights_kind >= 4u && !has_row_scale;  // the four invocations that share rows make each a part of the scales
const row_blocks = select(1u, 2u, weights_kind == 3u || weights_kind >= 7u);
const group_pitch = row_words * weight_rows;
const groups_of_tile = 128u / weight_rows;
const stage_words = groups_of_tile * group_pitch;
const stage_inputs = depth / 8u * tile_tokens;
const stage_bytes = 4u * 128u * row_words + 16u * stage_inputs;
const_assert stages >= 2u;
const in_memory = weights_kind == 3u && !gated;
const_assert weight_rows == 64u || !in_memory;

// Words of an invocation's two rows in a step, and their scales.
const nibble_pairs = array<u32, 10>(0u, 2u, 4u, 8u, 2u, 2u, 4u, 2u, 4u, 2u)[weights_kind];
const upper_pairs = select(0u, 2u, weights_kind == 5u || weights_kind == 6u);  // of bits beyond the nibbles
const raw_pairs = nibble_pairs + upper_pairs;

alias Raw = array<u32, 2u * raw_pairs + 2u>;
alias Sums = array<f32, sums_count>;
alias Fragment = array<vec4<u32>, 4>;

var<workgroup> ring: array<vec2<u32>, 2u * stages>;
var<workgroup> words: array<u32, stages * stage_words>;
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

// Starts the copies of 64 columns of a group of rows.
fn fill_rows(f: ptr<function, Filling>, w: weights<f32>, row: u32, to: u32) {
  let stage = (*f).stage;
  let k = (*f).k;
  if (weights_kind == 6u) {
    // Of two superblocks: the word of both scales; of this one the sixteen others, then of its half upper bits and nibbles.
    let first = 1u + k / 4u % 2u * 52u;
    let half = k / 2u % 2u;
    weightsStageCopy(&ring, stage, &words, to, w, row, k / 8u, 0u, 1u);
    weightsStageCopy(&ring, stage, &words, to + weight_rows, w, row, k / 8u, first + 48u, 4u);
    weightsStageCopy(&ring, stage, &words, to + 5u * weight_rows, w, row, k / 8u, first + 32u + half * 8u, 8u);
    weightsStageCopy(&ring, stage, &words, to + 13u * weight_rows, w, row, k / 8u, first + half * 16u, 16u);
  } else if (weights_kind == 4u || weights_kind == 5u) {
    const shared_words = 4u + 4u * upper_pairs;
    weightsStageCopy(&ring, stage, &words, to, w, row, k / 4u, 0u, shared_words);
    weightsStageCopy(&ring, stage, &words, to + shared_words * weight_rows, w, row, k / 4u, shared_words + k % 4u * 8u, 8u);
  } else {
    weightsStageCopy(&ring, stage, &words, to, w, row, k * row_blocks, row_blocks);
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
        fill_rows(f, w2, row, at);
      } else {
        fill_rows(f, w, row, at);
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

// The two rows of an invocation in a tile: neighbours, or a row of each matrix.
fn tile_row(t: u32, second: u32) -> u32 {
  if (gated) {
    return t / 32u * 8u + t % 32u / 4u + second * 64u;
  }
  return t / 32u * 16u + t % 32u / 4u * 2u + second;
}

// Where in a stage a row's numbers begin: behind the scales of all rows of the group, if there are any, and upper bits,
// four words of a row lie side by side, one for each invocation that shares it.
const words_before = array<u32, 10>(0u, 1u, 1u, 0u, 4u, 12u, 13u, 1u, 0u, 0u)[weights_kind] * weight_rows;
// From a word to the next that an invocation has of the row: of q4_1 each block has its scale in front.
const pair_pitch = select(4u, 5u, weights_kind == 7u) * weight_rows;
fn row_place(row: u32, column: u32) -> u32 {
  return row / weight_rows * group_pitch + words_before + row % weight_rows * 4u + column;
}

// Where the first word of its scales is.
fn scale_place(row: u32) -> u32 {
  const pitch = select(1u, 4u, weights_kind == 4u || weights_kind == 5u);
  return row / weight_rows * group_pitch + row % weight_rows * pitch;
}

struct Rows {
  first: u32,   // place of the row that is read first, and of the other
  second: u32,
  low: u32,     // places of the scales of the rows, in their order
  high: u32,
  swaps: bool,
}

// Four invocations share two rows. Where these are neighbours, half of all read the second row first, so that no two of
// them want the same bank of memory at a time.
fn rows_of(t: u32) -> Rows {
  let low = tile_row(t, 0u);
  let high = tile_row(t, 1u);
  let column = t % 4u;
  let swaps = !gated && t % 32u >= 16u;
  let low_place = row_place(low, column);
  let high_place = row_place(high, column);
  return Rows(select(low_place, high_place, swaps), select(high_place, low_place, swaps), scale_place(low),
              scale_place(high), swaps);
}

// The words of a step that an invocation decodes: first those of the row that is read first, each beside that of the
// other, then both rows' scales, or the part that it makes of them for all that share the rows.
fn load(rows: Rows, stage: u32, k: u32, t: u32, raw: ptr<function, Raw>) {
  let base = stage * stage_words;
  @unroll for (var i = 0u; i < nibble_pairs; i++) {
    let further = i * pair_pitch;
    (*raw)[2u * i] = words[base + rows.first + further];
    (*raw)[2u * i + 1u] = words[base + rows.second + further];
  }
  @unroll for (var i = 0u; i < upper_pairs; i++) {
    let before = (8u - 4u * i) * weight_rows;
    (*raw)[2u * (nibble_pairs + i)] = words[base + rows.first - before];
    (*raw)[2u * (nibble_pairs + i) + 1u] = words[base + rows.second - before];
  }
  if (weights_kind == 6u) {
    (*raw)[2u * raw_pairs] = part_scales(rows, base, k, t % 4u);
  } else if (weights_kind == 7u) {
    (*raw)[2u * raw_pairs] = words[base + select(rows.low, rows.high, t % 4u >= 2u) + t % 2u * pair_pitch];
  } else if (shares_scales) {
    (*raw)[2u * raw_pairs] = scale_and_minimum_of(select(rows.low, rows.high, t % 4u >= 2u), base, 2u * (k % 4u) + t % 2u);
  } else if (weights_kind != 3u && !has_row_scale) {
    (*raw)[2u * raw_pairs] = words[base + rows.low];
    (*raw)[2u * raw_pairs + 1u] = words[base + rows.high];
  }
}

// The scale of a group of 32 columns of a superblock and what is added, the minimum's negative, as halves.
fn scale_and_minimum_of(place: u32, base: u32, group: u32) -> u32 {
  let at = base + place;
  return pack2x16float(unpack2x16float(words[at]) * vec2f(1.0, -1.0) *
                       scale_and_minimum(words[at + 1u], words[at + 2u], words[at + 3u], group));
}

// Of q6_k the scales of 16 columns of both rows, as halves.
fn part_scales(rows: Rows, base: u32, k: u32, part: u32) -> u32 {
  let d = vec2f(half_of(words[base + rows.low], k / 4u % 2u), half_of(words[base + rows.high], k / 4u % 2u));
  let at = base + weight_rows + k % 4u;
  let low = words[at + rows.low / group_pitch * group_pitch + rows.low % group_pitch * 4u];
  let high = words[at + rows.high / group_pitch * group_pitch + rows.high % group_pitch * 4u];
  let shift = 24u - 8u * part;
  return pack2x16float(d * vec2f(vec2<i32>(vec2<u32>(low, high) << vec2<u32>(shift)) >> vec2<u32>(24u)));
}

// Pair `number` of the words, in the order of the rows.
fn ordered(rows: Rows, raw: ptr<function, Raw>, number: u32) -> vec2<u32> {
  let a = (*raw)[2u * number];
  let b = (*raw)[2u * number + 1u];
  return vec2<u32>(select(a, b, rows.swaps), select(b, a, rows.swaps));
}

// A half in both halves of a word.
fn twice(pair: u32, number: u32) -> u32 {
  return ((pair >> (16u * number)) & 0xffffu) * 0x10001u;
}

const one = 0x3c003c00u;  // twice, as a half

// Nibbles in the low four bits of halves' mantissas, or four bits further up: 1024 and n, or 1024 and 16 n.
fn low_nibbles(word: u32, scale: u32) -> u32 {
  return bitcast<u32>((bitcast<vec2<f16>>((word & 0x000f000fu) | 0x64006400u) - vec2<f16>(1032.0h)) *
                      bitcast<vec2<f16>>(scale));
}
fn high_nibbles(word: u32, scale: u32) -> u32 {
  return bitcast<u32>((bitcast<vec2<f16>>((word & 0x00f000f0u) | 0x64006400u) * vec2<f16>(0.0625h) + vec2<f16>(-72.0h)) *
                      bitcast<vec2<f16>>(scale));
}
// Bytes with their sign turned: 1024 and n + 128.
fn signed_bytes(word: u32, scale: u32) -> u32 {
  return bitcast<u32>((bitcast<vec2<f16>>((word & 0x00ff00ffu) | 0x64006400u) - vec2<f16>(1152.0h)) *
                      bitcast<vec2<f16>>(scale));
}

// Two numbers whose low four bits are where those of halves are, scaled, and but for q6_k more by `added`.
fn scaled_numbers(low: u32, upper: u32, scale: u32, added: u32) -> u32 {
  let n = (low & 0x000f000fu) | upper | 0x64006400u;
  if (weights_kind == 6u) {
    return bitcast<u32>((bitcast<vec2<f16>>(n) - vec2<f16>(1056.0h)) * bitcast<vec2<f16>>(scale));
  }
  return bitcast<u32>((bitcast<vec2<f16>>(n) - vec2<f16>(1024.0h)) * bitcast<vec2<f16>>(scale) +
                      bitcast<vec2<f16>>(added));
}

// What neighbour `number` of the four that share two rows has.
fn of_neighbour(value: u32, number: u32, t: u32) -> u32 {
  return subgroupShuffle(value, t % 32u / 4u * 4u + number);
}

// The same where scales are shared.
fn decode_shared(rows: Rows, raw: ptr<function, Raw>, parts: ptr<function, Fragment>, k: u32, t: u32) {
  const upper_bits = select(0x00100010u, 0x00300030u, weights_kind == 6u);
  const is_q6 = weights_kind == 6u;
  const is_q4_1 = weights_kind == 7u;
  let own = (*raw)[2u * raw_pairs];
  @unroll for (var part = 0u; part < 4u; part++) {
    // Of q6_k all nibbles of a step are the same of their bytes, of others of superblocks those of the second 32 columns
    // are the upper, of q4_1 those of the second 16 of a block.
    let shift = select(select(part / 2u, part % 2u, is_q4_1) * 4u, k % 2u * 4u, is_q6);
    let low = ordered(rows, raw, select(part % nibble_pairs, part / 2u, is_q4_1)) >> vec2<u32>(shift);
    var even = vec2<u32>();
    var odd = vec2<u32>();
    if (upper_pairs > 0u) {
      let bit = select(k % 4u * 2u + part / 2u, k % 2u * 4u + part / 2u * 2u, is_q6);
      let upper = ordered(rows, raw, raw_pairs - 2u + part % 2u) >> vec2<u32>(bit);
      even = (upper << vec2<u32>(4u)) & vec2<u32>(upper_bits);
      odd = (upper >> vec2<u32>(4u)) & vec2<u32>(upper_bits);
    }
    let next = low >> vec2<u32>(8u);
    var scales = vec2<u32>();  // of both rows, and what is added
    var added = vec2<u32>();
    if (is_q6) {
      let both = of_neighbour(own, part, t);
      scales = vec2<u32>(twice(both, 0u), twice(both, 1u));
    } else {
      let first = of_neighbour(own, part / 2u, t);
      let second = of_neighbour(own, 2u + part / 2u, t);
      scales = vec2<u32>(twice(first, 0u), twice(second, 0u));
      added = vec2<u32>(twice(first, 1u), twice(second, 1u));
    }
    (*parts)[part] = vec4<u32>(scaled_numbers(low.x, even.x, scales.x, added.x),
                               scaled_numbers(low.y, even.y, scales.y, added.y),
                               scaled_numbers(next.x, odd.x, scales.x, added.x),
                               scaled_numbers(next.y, odd.y, scales.y, added.y));
  }
}

// The invocation's part of the weights of step k of a row, decoded: 16 columns an element.
fn decode(rows: Rows, raw: ptr<function, Raw>, parts: ptr<function, Fragment>, k: u32, t: u32) {
  if (shares_scales) {
    decode_shared(rows, raw, parts, k, t);
  } else if (weights_kind == 3u) {
    @unroll for (var part = 0u; part < 4u; part++) {
      let a = ordered(rows, raw, 2u * part);
      let b = ordered(rows, raw, 2u * part + 1u);
      (*parts)[part] = vec4<u32>(a, b);
    }
  } else {
    @unroll for (var block = 0u; block < 2u; block++) {
      var scale = one;
      var other = one;
      if (!has_row_scale) {
        scale = twice((*raw)[2u * raw_pairs], block);
        other = twice((*raw)[2u * raw_pairs + 1u], block);
      }
      if (weights_kind == 1u || weights_kind == 9u) {
        // Nibbles in two's complement are those of q4_0 with their sign turned.
        let w = ordered(rows, raw, block) ^ vec2<u32>(select(0u, 0x88888888u, has_row_scale));
        let v = w >> vec2<u32>(8u);
        (*parts)[2u * block] =
            vec4<u32>(low_nibbles(w.x, scale), low_nibbles(w.y, other), low_nibbles(v.x, scale),
                      low_nibbles(v.y, other));
        (*parts)[2u * block + 1u] =
            vec4<u32>(high_nibbles(w.x, scale), high_nibbles(w.y, other), high_nibbles(v.x, scale),
                      high_nibbles(v.y, other));
      } else {
        @unroll for (var half = 0u; half < 2u; half++) {
          let w = ordered(rows, raw, 2u * block + half) ^ vec2<u32>(0x80808080u);
          let v = w >> vec2<u32>(8u);
          (*parts)[2u * block + half] =
              vec4<u32>(signed_bytes(w.x, scale), signed_bytes(w.y, other), signed_bytes(v.x, scale),
                        signed_bytes(v.y, other));
        }
      }
    }
  }
}

fn decode_stage(rows: Rows, stage: u32, parts: ptr<function, Fragment>, k: u32, t: u32) {
  var raw: Raw;
  load(rows, stage, k, t, &raw);
  decode(rows, &raw, parts, k, t);
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
