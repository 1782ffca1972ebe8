@group(0) @binding(0) var<storage, read_write> u: array<u32>;
@group(0) @binding(1) var<storage, read_write> f: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> i: array<vec4<i32>>;

fn pack_signed_bytes(v: vec4<i32>) -> u32 {
  let b = (vec4<u32>(v) & vec4<u32>(255u)) << vec4<u32>(0u, 8u, 16u, 24u);
  return b.x | b.y | b.z | b.w;
}

fn pack_clamped_signed_bytes(v: vec4<i32>) -> u32 {
  return pack_signed_bytes(clamp(v, vec4<i32>(-128i), vec4<i32>(127i)));
}

fn pack_unsigned_bytes(v: vec4<u32>) -> u32 {
  let b = (v & vec4<u32>(255u)) << vec4<u32>(0u, 8u, 16u, 24u);
  return b.x | b.y | b.z | b.w;
}

fn pack_clamped_unsigned_bytes(v: vec4<u32>) -> u32 {
  return pack_unsigned_bytes(clamp(v, vec4<u32>(0u), vec4<u32>(255u)));
}

fn unpack_signed_bytes(bits: u32) -> vec4<i32> {
  return vec4<i32>(vec4<u32>(bits) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u);
}

fn unpack_unsigned_bytes(bits: u32) -> vec4<u32> {
  return (vec4<u32>(bits) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u);
}

@compute @workgroup_size(1, 1, 1)
fn packing() {
  u[0] = pack2x16float(f[0].xy);
  f[1] = vec4<f32>(unpack2x16float(u[1]), unpack2x16float(u[2]));
  u[3] = pack4x8snorm(f[2]);
  f[3] = unpack4x8snorm(u[4]);
  u[5] = pack4x8unorm(f[4]);
  f[5] = unpack4x8unorm(u[6]);
  u[7] = pack_signed_bytes(i[0]);
  u[8] = pack_clamped_signed_bytes(i[1]);
  u[9] = pack_unsigned_bytes(vec4<u32>(i[2]));
  u[10] = pack_clamped_unsigned_bytes(vec4<u32>(i[3]));
  i[4] = unpack_signed_bytes(u[11]);
  i[5] = vec4<i32>(unpack_unsigned_bytes(u[12]));
}
