// The values of a token as two bytes each, for products with bytes of weights by dot products of four: fewer steps than
// halves need, and more exact. Of 32 values the largest is m: x = m / (127 * 128) * (128 * upper + lower), with upper from
// -127 to 127 and lower from -64 to 64. Sums of products are integers that a float holds.
//
// Of a chunk of 32 values half_pairs has 16 words: the upper bytes, then the lower ones, in the order of the values.
// half_scales has the scale, what the bias of the weights adds to the product of the first and of the last 16 values
// (to that of all where one scale serves 32), and the sum of the values.
import package::byte_fields::has_bytes;
import package::half_fields::{Raw, are_nibbles, bias as half_bias, has_minimum, has_two_scales, piece_chunks, scale_of, words_of};
import package::half_token::{half_chunks, half_pairs, half_scales};

// Numbers of eight bits come less their bias, as signed bytes.
const bias = select(half_bias, 0u, has_bytes);

const has_sums = bias != 0u || has_minimum;  // what is added or taken away for a whole chunk

// 1.5 * 2^23: a float of at most 2^22 plus this has its nearest integer in the lower bits.
const rounder = 12582912.0;

fn packed_bytes(rounded: vec4f) -> u32 {
  let words = bitcast<vec4u>(rounded) & vec4u(255u);
  return words.x | (words.y << 8u) | (words.z << 16u) | (words.w << 24u);
}

// Keeps slice s of the token, a slice an invocation: eight neighbours hold the 32 values of a chunk. Every invocation of
// the workgroup calls it, for slices past the last with zeroes.
fn keep_bytes(value: vec4f, s: u32) {
  // Of numbers without a sign the bits have the same order, and those of NaN are above all others: a scale that is none
  // makes every product one.
  let magnitude = bitcast<vec4u>(abs(value));
  var bits = max(max(magnitude.x, magnitude.y), max(magnitude.z, magnitude.w));
  @unroll for (var step = 1u; step < 8u; step *= 2u) {
    bits = max(bits, subgroupShuffleXor(bits, step));
  }
  let most = bitcast<f32>(bits);
  let scaled = value * select(0.0, 127.0 / most, most >= 1e-30f);  // the inverse may be infinite below
  let upper = scaled + rounder;
  let lower = (scaled - (upper - rounder)) * 128.0 + rounder;
  let own = vec2u(packed_bytes(upper), packed_bytes(lower));

  // Of four neighbours the first gathers the upper bytes, the second the lower ones.
  let is_odd = s % 2u == 1u;
  let given = subgroupShuffleXor(select(own.y, own.x, is_odd), 1u);
  let pair = select(vec2u(own.x, given), vec2u(given, own.y), vec2<bool>(is_odd));
  let next = subgroupShuffleXor(pair, 2u);
  if (s % 4u < 2u && s < 8u * half_chunks) {
    half_pairs[s / 8u * 4u + s % 2u * 2u + s / 4u % 2u] = vec4u(pair, next);
  }
  var whole = 0;  // of the slice, then of the first 16 values
  var other = 0;  // of the last 16
  if (has_sums) {
    whole = dot4I8Packed(own.x, 0x01010101u) * 128 + dot4I8Packed(own.y, 0x01010101u);
    whole += subgroupShuffleXor(whole, 1u);
    whole += subgroupShuffleXor(whole, 2u);
    other = subgroupShuffleXor(whole, 4u);
  }
  if (s % 8u == 0u && s < 8u * half_chunks) {
    let scale = most * (1.0 / 16256.0);
    let first = select(whole + other, whole, has_two_scales) * i32(bias);
    half_scales[s / 8u] = vec4f(scale, f32(first), f32(other * i32(bias)), scale * f32(whole + other));
  }
}

fn byte_chunk_sum(raw: Raw, piece: u32, sub: u32) -> f32 {
  let words = words_of(raw, piece, sub);
  let scale = scale_of(raw, piece, sub);
  let chunk = piece * piece_chunks + sub;
  let input = half_scales[chunk];
  var upper = 0;
  var lower = 0;
  var sum = 0.0;
  @unroll for (var i = 0u; i < 2u; i++) {
    let uppers = half_pairs[chunk * 4u + i];
    let lowers = half_pairs[chunk * 4u + 2u + i];
    @unroll for (var j = 0u; j < 4u; j++) {
      var bytes = words[4u * i + j];
      if (are_nibbles) {
        bytes &= 0x0f0f0f0fu;
      } else if (has_bytes) {
        bytes ^= 0x80808080u;
      }
      upper += dot4I8Packed(bytes, uppers[j]);
      lower += dot4I8Packed(bytes, lowers[j]);
    }
    if (has_two_scales && i == 0u) {
      sum = (f32(upper * 128 + lower) - input.y) * scale.x;
      upper = 0;
      lower = 0;
    }
  }
  var last = f32(upper * 128 + lower);
  if (bias != 0u) {
    last -= select(input.y, input.z, has_two_scales);
  }
  sum = (sum + last * scale.y) * input.x;
  if (has_minimum) {
    sum += scale.z * input.w;
  }
  return sum;
}
