@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> u: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@group(0) @binding(3) var<storage, read_write> z: array<vec4<f32>>;

fn unpack_signed_bytes(bits: u32) -> vec4<i32> {
  return vec4<i32>(vec4<u32>(bits) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u);
}

fn unpack_unsigned_bytes(bits: u32) -> vec4<u32> {
  return (vec4<u32>(bits) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u);
}

fn pack_signed_bytes(v: vec4<i32>) -> u32 {
  let b = (vec4<u32>(v) & vec4<u32>(255u)) << vec4<u32>(0u, 8u, 16u, 24u);
  return b.x | b.y | b.z | b.w;
}

@compute @workgroup_size(8, 1, 1)
fn bytes(@builtin(global_invocation_id) id: vec3<u32>) {
  let v = unpack_signed_bytes(x[id.x * 5u]);
  y[id.x * 5u] = pack_signed_bytes(v + vec4<i32>(unpack_unsigned_bytes(u[id.x * 5u])));
  z[id.x * 5u] = vec4<f32>(v);
}
