// The product of one token with rows of small numbers (half_fields), a row a lane: for linear_rows and its like where
// `halves` is set. For formats without scales of rows, whose models have integer products. What x is made of: halves, or
// where `in_bytes` is set two bytes a value, whose products are sums of four (byte_pairs).
//
// Halves: each 32 values of x are divided by the largest of them, so that sums of their products with bytes less the
// bias cannot overflow, and kept as pairs of f16 in a word, in the order that two bytes of a word give: 0 and 2, 1 and 3.
// Eight products are summed in f16, and the rest in f32.
import package::byte_pairs::{byte_chunk_sum, keep_bytes};
import package::half_fields::{Raw, bias, bits, has_minimum, has_two_scales, load_raw, piece_chunks, raw_words, scale_of, words_of};
import package::half_token::{half_chunks, half_pairs, half_scales};
import package::row_product::{lanes, neighbours, normalizes, splits, squares, turns, workers};

override in_bytes: bool = false;

const halves = half_chunks > 0u;
const pieces = half_chunks / piece_chunks;
const steps = (pieces + splits * turns - 1u) / (splits * turns);
const is_even = pieces % (splits * turns) == 0u;
// Two steps are under way before the first is used; of halves, which take more registers, the second comes then.
const loads_two = in_bytes && steps > 1u;

// Whether the invocations of a matrix, which go through its steps together, are whole subgroups.
const can_issue = lanes * splits % 32u == 0u;

alias Words = array<u32, turns * raw_words>;

// Keeps slice s of the token, a slice an invocation: eight neighbours hold the 32 values of a chunk. Every invocation of
// the workgroup calls it, for slices past the last with zeroes.
fn keep_halves(value: vec4f, s: u32) {
  let magnitude = abs(value);
  var most = max(max(magnitude.x, magnitude.y), max(magnitude.z, magnitude.w));
  var sum = value.x + value.y + value.z + value.w;
  @unroll for (var step = 1u; step < 8u; step *= 2u) {
    most = max(most, subgroupShuffleXor(most, step));
    sum += subgroupShuffleXor(sum, step);
  }
  let scaled = value * select(0.0, 1.0 / most, most >= 1e-30f);  // the inverse may be infinite below
  let words = vec2u(pack2x16float(scaled.xz), pack2x16float(scaled.yw));
  let next = subgroupShuffleXor(words, 1u);
  if (s % 2u == 0u && s < 8u * half_chunks) {
    half_pairs[s / 2u] = vec4u(words, next);
  }
  if (s % 8u == 0u && s < 8u * half_chunks) {
    half_scales[s / 8u] = vec4f(most, sum, 0.0, 0.0);
  }
}

// Slices that an invocation makes ready together, and how often it has such under way at once.
const width = select(1u, 2u, in_bytes);
const items = 8u * half_chunks / width;
const batch = clamp((items + workers - 1u) / workers, 1u, 4u / width);

// One token: neighbouring invocations read neighbouring slices.
fn prepare_halves(x: tensor<f32>, gamma: tensor<f32>, local: vec3u) {
  let invocation = local.y * lanes + local.x;
  var sum = 0.0;
  for (var first = 0u; first < items; first += batch * workers) {
    var values: array<vec4f, batch * width>;
    var factors: array<vec4f, batch * width>;
    @unroll for (var i = 0u; i < batch; i++) {
      let item = first + i * workers + invocation;
      if (item < items) {
        @unroll for (var j = 0u; j < width; j++) {
          values[i * width + j] = tensorLoad(x, 0u, item * width + j);
          if (normalizes) {
            factors[i * width + j] = tensorLoad(gamma, item * width + j);
          }
        }
      }
    }
    @unroll for (var i = 0u; i < batch; i++) {
      if (normalizes) {
        @unroll for (var j = 0u; j < width; j++) {
          let value = values[i * width + j];
          sum += dot(value, value);
          values[i * width + j] = value * factors[i * width + j];
        }
      }
      let item = first + i * workers + invocation;
      if (in_bytes) {
        keep_bytes(values[i * width], values[i * width + width - 1u], item);
      } else {
        keep_halves(values[i], item);
      }
    }
  }
  if (normalizes) {
    @unroll for (var step = 1u; step < neighbours; step *= 2u) {
      sum += subgroupShuffleXor(sum, step);
    }
    if (invocation % max(neighbours, 1u) == 0u) {
      squares[invocation / max(neighbours, 1u)] = sum;
    }
  }
  workgroupBarrier();
}

fn piece_of(step: u32, turn: u32, split: u32) -> u32 {
  return (step * turns + turn) * splits + split;
}

// The words of a step, to be called before the token is there: memory takes longer than anything else. `is_full`: all
// of its pieces are of the row.
fn load_words(w: weights<f32>, row: u32, split: u32, step: u32, is_full: bool) -> Words {
  var words: Words;
  @unroll for (var turn = 0u; turn < turns; turn++) {
    let piece = piece_of(step, turn, split);
    if (is_full || piece < pieces) {
      let raw = load_raw(w, row, piece);
      @unroll for (var j = 0u; j < raw_words; j++) {
        words[turn * raw_words + j] = raw[j];
      }
    }
  }
  if (in_bytes && can_issue) {
    issueLoads();
  }
  return words;
}

// Bytes 0 and 2 of a word, or what `bits` leaves of them, times a pair: as the low bits of a half whose other bits are
// those of 1024, a byte is 1024 more than it is.
fn product(bytes: u32, bits: u32, pair: u32) -> vec2<f16> {
  let numbers = bitcast<vec2<f16>>((bytes & bits) | 0x64006400u) - vec2<f16>(f16(1024u + bias));
  return numbers * bitcast<vec2<f16>>(pair);
}

fn total(even: vec2<f16>, odd: vec2<f16>) -> f32 {
  let sums = vec2f(even + odd);
  return sums.x + sums.y;
}

fn chunk_sum(raw: Raw, piece: u32, sub: u32) -> f32 {
  let words = words_of(raw, piece, sub);
  let scale = scale_of(raw, piece, sub);
  let chunk = piece * piece_chunks + sub;
  var even = vec2<f16>();
  var odd = vec2<f16>();
  var sum = 0.0;
  @unroll for (var i = 0u; i < 4u; i++) {
    let pairs = half_pairs[chunk * 4u + i];
    even += product(words[2u * i], bits, pairs.x);
    odd += product(words[2u * i] >> 8u, bits, pairs.y);
    even += product(words[2u * i + 1u], bits, pairs.z);
    odd += product(words[2u * i + 1u] >> 8u, bits, pairs.w);
    if (has_two_scales && i == 1u) {
      sum = total(even, odd) * scale.x;
      even = vec2<f16>();
      odd = vec2<f16>();
    }
  }
  let input = half_scales[chunk];
  sum = (sum + total(even, odd) * scale.y) * input.x;
  if (has_minimum) {
    sum += scale.z * input.y;
  }
  return sum;
}

// The words with which a row begins: those of the first step, and where `loads_two` of the second.
fn load_ahead(w: weights<f32>, row: u32, split: u32, words: ptr<function, Words>, next: ptr<function, Words>) {
  *words = load_words(w, row, split, 0u, is_even || steps > 1u);
  if (loads_two) {
    *next = load_words(w, row, split, 1u, is_even || steps > 2u);
  }
}

fn step_sum(words: Words, split: u32, step: u32, is_full: bool) -> f32 {
  var sum = 0.0;
  @unroll for (var turn = 0u; turn < turns; turn++) {
    let piece = piece_of(step, turn, split);
    if (is_full || piece < pieces) {
      var raw: Raw;
      @unroll for (var j = 0u; j < raw_words; j++) {
        raw[j] = words[turn * raw_words + j];
      }
      @unroll for (var sub = 0u; sub < piece_chunks; sub++) {
        if (in_bytes) {
          sum += byte_chunk_sum(raw, piece, sub);
        } else {
          sum += chunk_sum(raw, piece, sub);
        }
      }
    }
  }
  return sum;
}

// The share `split` of a row, whose words of the first step are there.
fn sum_one_ahead(w: weights<f32>, row: u32, split: u32, first: Words) -> f32 {
  var sum = 0.0;
  var words = first;
  var next: Words;
  for (var step = 0u; step < steps; step += 2u) {
    if (step + 1u < steps) {
      next = load_words(w, row, split, step + 1u, is_even);
    }
    sum += step_sum(words, split, step, is_even);
    if (step + 2u < steps) {
      words = load_words(w, row, split, step + 2u, is_even);
    }
    if (step + 1u < steps) {
      sum += step_sum(next, split, step + 1u, is_even);
    }
  }
  return sum;
}

// The same, whose words of two steps are there: two or three steps come last, of which only the very last may be short.
const ahead = (max(steps, 2u) - 2u) / 2u * 2u;

fn sum_two_ahead(w: weights<f32>, row: u32, split: u32, first: Words, second: Words) -> f32 {
  var sum = 0.0;
  var words = first;
  var next = second;
  for (var step = 0u; step < ahead; step += 2u) {
    sum += step_sum(words, split, step, true);
    words = load_words(w, row, split, step + 2u, true);
    sum += step_sum(next, split, step + 1u, true);
    next = load_words(w, row, split, step + 3u, is_even || steps % 2u == 1u || step + 2u < ahead);
  }
  sum += step_sum(words, split, ahead, true);
  if (steps % 2u == 1u) {
    words = load_words(w, row, split, steps - 1u, is_even);
  }
  sum += step_sum(next, split, ahead + 1u, is_even || steps % 2u == 1u);
  if (steps % 2u == 1u) {
    sum += step_sum(words, split, steps - 1u, is_even);
  }
  return sum;
}

// The share `split` of a row, whose words of the first step are there, and those of the second where `loads_two`.
fn half_sum(w: weights<f32>, row: u32, split: u32, first: Words, second: Words) -> f32 {
  if (loads_two) {
    return sum_two_ahead(w, row, split, first, second);
  }
  return sum_one_ahead(w, row, split, first);
}
