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

fn largest_bits(value: vec4f) -> u32 {
  let magnitude = bitcast<vec4u>(abs(value));
  return max(max(magnitude.x, magnitude.y), max(magnitude.z, magnitude.w));
}

// The upper bytes of two slices, scaled to 127 at most, and the lower ones.
fn bytes_of_slices(first: vec4f, second: vec4f) -> vec4u {
  let upper = array<vec4f, 2>(first + rounder, second + rounder);
  let lower = array<vec4f, 2>((first - (upper[0] - rounder)) * 128.0 + rounder,
                              (second - (upper[1] - rounder)) * 128.0 + rounder);
  return vec4u(packed_bytes(upper[0]), packed_bytes(upper[1]), packed_bytes(lower[0]), packed_bytes(lower[1]));
}

// Keeps slices 2 item and 2 item + 1 of the token, as many an invocation: four neighbours hold the 32 values of a chunk.
// Every invocation of the workgroup calls it, for slices past the last with zeroes.
fn keep_bytes(first: vec4f, second: vec4f, item: u32) {
  // Of numbers without a sign the bits have the same order, and those of NaN are above all others: a scale that is none
  // makes every product one.
  var bits = max(largest_bits(first), largest_bits(second));
  bits = max(bits, subgroupShuffleXor(bits, 1u));
  bits = max(bits, subgroupShuffleXor(bits, 2u));
  let most = bitcast<f32>(bits);
  let factor = select(0.0, 127.0 / most, most >= 1e-30f);  // the inverse may be infinite below
  let own = bytes_of_slices(first * factor, second * factor);

  // Of two neighbours the first gathers the upper bytes, the second the lower ones.
  let is_odd = item % 2u == 1u;
  let given = subgroupShuffleXor(select(own.zw, own.xy, vec2<bool>(is_odd)), 1u);
  if (item < 4u * half_chunks) {
    half_pairs[item / 4u * 4u + item % 2u * 2u + item / 2u % 2u] =
        select(vec4u(own.xy, given), vec4u(given, own.zw), vec4<bool>(is_odd));
  }
  var whole = 0;  // of the slices, then of the first 16 values
  var other = 0;  // of the last 16
  if (has_sums) {
    const ones = 0x01010101u;
    whole = (dot4I8Packed(own.x, ones) + dot4I8Packed(own.y, ones)) * 128;
    whole += dot4I8Packed(own.z, ones) + dot4I8Packed(own.w, ones);
    whole += subgroupShuffleXor(whole, 1u);
    other = subgroupShuffleXor(whole, 2u);
  }
  if (item % 4u == 0u && item < 4u * half_chunks) {
    let scale = most * (1.0 / 16256.0);
    let bias_of_first = select(whole + other, whole, has_two_scales) * i32(bias);
    half_scales[item / 4u] = vec4f(scale, f32(bias_of_first), f32(other * i32(bias)), scale * f32(whole + other));
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
