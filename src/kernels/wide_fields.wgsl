// Fields of packed weights for sixteen rows at once, shared by wide_formats/. Four values of each row, one vec16 a
// value.
alias Words = vec16<u32>;
alias Values = vec16<f32>;
alias Four = array<vec16<f32>, 4>;

// The halves in the low and in the high 16 bits of each word. The exponent is moved by a multiplication, which is exact
// for subnormal halves too; scales are never infinite.
fn low_half(pair: Words) -> Values {
  let magnitude = bitcast<Values>((pair & Words(0x7fffu)) << Words(13u)) * Values(0x1p112f);
  return bitcast<Values>(bitcast<Words>(magnitude) | ((pair & Words(0x8000u)) << Words(16u)));
}

fn high_half(pair: Words) -> Values {
  return low_half(pair >> Words(16u));
}

// The half `number` (0 or 1) of a pair in one word.
fn half_of(pair: Words, number: u32) -> Values {
  return low_half(pair >> Words(16u * number));
}

// (packed >> (8 k + shift)) & mask for k = 0 .. 3.
fn fields(packed: Words, shift: u32, mask: u32) -> Four {
  var q: Four;
  @unroll for (var k = 0u; k < 4u; k++) {
    q[k] = Values((packed >> Words(8u * k + shift)) & Words(mask));
  }
  return q;
}

fn signed_bytes(packed: Words) -> Four {
  var q: Four;
  @unroll for (var k = 0u; k < 4u; k++) {
    q[k] = Values(bitcast<vec16<i32>>(packed << Words(24u - 8u * k)) >> Words(24u));
  }
  return q;
}

// Four nibbles in two's complement, the lower ones of each byte (shift 0) or the upper ones (4).
fn signed_nibbles(packed: Words, shift: u32) -> Four {
  var q: Four;
  @unroll for (var k = 0u; k < 4u; k++) {
    q[k] = Values(bitcast<vec16<i32>>(packed << Words(28u - 8u * k - shift)) >> Words(28u));
  }
  return q;
}

// Tables of sixteen signed bytes, as in packed_fields.wgsl.
const iq4_nl_table = vec4u(0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u);
const doubled_e2m1_table = vec4u(0x03020100u, 0x0c080604u, 0xfdfeff00u, 0xf4f8fafcu);

// The entries of such a table that four nibbles name, the lower ones of each byte (shift 0) or the upper ones (4).
fn looked_up(packed: Words, shift: u32, table: vec4u) -> Four {
  var values: Four;
  @unroll for (var k = 0u; k < 4u; k++) {
    let q = packed >> Words(8u * k + shift);
    let second = (q & Words(4u)) != Words();
    let low = select(Words(table.x), Words(table.y), second);
    let high = select(Words(table.z), Words(table.w), second);
    let word = select(low, high, (q & Words(8u)) != Words());
    values[k] = Values(bitcast<vec16<i32>>(word << (Words(24u) - (q & Words(3u)) * Words(8u))) >> Words(24u));
  }
  return values;
}

// 2^(e - 128) of the exponents e in the low bytes: subnormal where e < 2.
fn half_power(exponent: Words) -> Values {
  let e = exponent & Words(255u);
  return bitcast<Values>(select((e - Words(1u)) << Words(23u), Words(0x00200000u) << (e & Words(1u)), e < Words(2u)));
}

fn scaled(q: Four, scale: Values) -> Four {
  var values: Four;
  @unroll for (var k = 0u; k < 4u; k++) {
    values[k] = q[k] * scale;
  }
  return values;
}

fn scaled_and_moved(q: Four, scale: Values, minimum: Values) -> Four {
  var values: Four;
  @unroll for (var k = 0u; k < 4u; k++) {
    values[k] = fma(q[k], scale, minimum);
  }
  return values;
}

// Bit k of the low four bits as 16 in byte k (see packed_fields.wgsl).
fn fifth_bits(bits: Words) -> Words {
  return ((bits & Words(15u)) * Words(0x02040810u)) & Words(0x10101010u);
}

struct ScaleAndMinimum {
  scale: Values,
  minimum: Values,
}

// Scale and minimum of group `group` of a Q4_K or Q5_K block, from word 0 (d and dmin) and words 1 to 3 (six-bit
// fields).
fn group_scale(d: Words, a: Words, b: Words, c: Words, group: u32) -> ScaleAndMinimum {
  let shift = Words(group % 4u * 8u);
  let low_a = a >> shift;
  let low_b = b >> shift;
  var scale = low_a & Words(63u);
  var minimum = low_b & Words(63u);
  if (group >= 4u) {
    scale = ((c >> shift) & Words(15u)) | ((low_a >> Words(2u)) & Words(48u));
    minimum = ((c >> (shift + Words(4u))) & Words(15u)) | ((low_b >> Words(2u)) & Words(48u));
  }
  return ScaleAndMinimum(low_half(d) * Values(scale), -high_half(d) * Values(minimum));
}

// Rows 4 i to 4 i + 3 of the sixteen.
fn slice_of(sums: vec16<f32>, i: u32) -> vec4f {
  return vec4f(sums[4u * i], sums[4u * i + 1u], sums[4u * i + 2u], sums[4u * i + 3u]);
}
