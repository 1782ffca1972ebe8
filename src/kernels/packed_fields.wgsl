// Fields of packed weights, shared by the formats: four values at a time, a byte each.

// The low nibble of each byte.
fn nibbles(packed: u32) -> vec4f {
  return vec4f(unpack4xU8(packed & 0x0f0f0f0fu));
}

// The half `number` (0 or 1) of a pair in one word.
fn half_of(pair: u32, number: u32) -> f32 {
  return unpack2x16float(pair >> (16u * number)).x;
}

// Tables of sixteen signed bytes: byte i of word k is entry 4 k + i. The values of IQ4_NL, and twice those of E2M1.
const iq4_nl_table = vec4u(0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u);
const doubled_e2m1_table = vec4u(0x03020100u, 0x0c080604u, 0xfdfeff00u, 0xf4f8fafcu);

// The entries of such a table that the low nibbles of each byte name.
fn looked_up(packed: u32, table: vec4u) -> vec4f {
  let q = unpack4xU8(packed & 0x0f0f0f0fu);
  let low = select(vec4u(table.x), vec4u(table.y), (q & vec4u(4u)) != vec4u());
  let high = select(vec4u(table.z), vec4u(table.w), (q & vec4u(4u)) != vec4u());
  let word = select(low, high, (q & vec4u(8u)) != vec4u());
  return vec4f(bitcast<vec4i>(word << (vec4u(24u) - (q & vec4u(3u)) * 8u)) >> vec4u(24u));
}

// 2^(e - 128) of the exponent e in the low byte: subnormal where e < 2.
fn half_power(exponent: u32) -> f32 {
  let e = exponent & 255u;
  return bitcast<f32>(select((e - 1u) << 23u, 0x00200000u << (e & 1u), e < 2u));
}

// Bit k of the low four bits as 16 in byte k: the fifth bits of four values. The multiplication puts a copy of bit k at
// bit 8 k + 4, and no two copies meet.
fn fifth_bits(bits: u32) -> u32 {
  return ((bits & 15u) * 0x02040810u) & 0x10101010u;
}

// Scale and minimum, six bits each, of group `group` of a Q4_K or Q5_K block. Words a, b and c hold bytes 0..3, 4..7
// and 8..11: groups 0..3 lie in the low six bits of a and b; groups 4..7 have their low four bits in the nibbles of c
// and their upper two in the top of a and b.
fn scale_and_minimum(a: u32, b: u32, c: u32, group: u32) -> vec2f {
  let shift = group % 4u * 8u;
  let low = vec2u(a >> shift, b >> shift);
  let nibble = vec2u(c >> shift, c >> (shift + 4u)) & vec2u(15u);
  let high = nibble | ((low >> vec2u(2u)) & vec2u(48u));
  return vec2f(select(low & vec2u(63u), high, group >= 4u));
}
