// Everything known is one literal.
const size = 4 * 8;
const table = array(1.0, 2.0, 4.0);
const direction = normalize(vec3f(0, 3, 4));
struct Pair { a: u32, b: vec2f }
const pair = Pair(3, vec2f(1, 2));
const_assert size == 32 && table[1] < 3;

@compute @workgroup_size(1)
fn main() {
  var a: array<f32, size / 2>;
  a[size / 4] = table[2] + f32(pair.a) + pair.b.y;
  let b = direction.zyx;
  let c = select(1, 2, size > 16);
  let d = max(vec2(1, 5), vec2(3, 4));
  let e = bitcast<u32>(1.0f);
  let f = unpack4xU8(0x04030201u);
  let g = dot(vec3(1, 2, 3), vec3(4, 5, 6));
  let h = clamp(2.5, 0.0, 1.0) + sqrt(16.0) + exp2(3.0);
  let i = countOneBits(0xFFu) + firstLeadingBit(16u);
  let j = u32(3.99) + u32(-1.0) + u32(-1i);
  let k = ~5 & 0xF;
  let l = 1 << 4u;
}
