@group(0) @binding(0) var<storage, read_write> i: array<i32>;
@group(0) @binding(1) var<storage, read_write> u: array<vec2<u32>>;

@compute @workgroup_size(1, 1, 1)
fn bits() {
  u[1] = countOneBits(u[0]) + countLeadingZeros(u[0]) + countTrailingZeros(u[0]);
  u[2] = firstLeadingBit(u[0]) + firstTrailingBit(u[0]);
  u[3] = reverseBits(u[0]);
  u[4] = extractBits(u[0], 4u, 8u);
  u[5] = insertBits(u[0], u[1], 8u, 4u);
  i[1] = countOneBits(i[0]) + countLeadingZeros(i[0]) + countTrailingZeros(i[0]);
  i[2] = firstLeadingBit(i[0]) + firstTrailingBit(i[0]);
  i[3] = reverseBits(i[0]);
  i[4] = extractBits(i[0], 4u, 8u);
  i[5] = insertBits(i[0], i[1], 8u, 4u);
}
