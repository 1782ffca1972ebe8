@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<i32>;
@group(0) @binding(2) var<storage, read_write> usums: array<u32>;

fn unpack_signed_bytes(bits: u32) -> vec4<i32> {
  return vec4<i32>(vec4<u32>(bits) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u);
}

fn dot_signed_bytes(a: u32, b: u32) -> i32 {
  return dot(unpack_signed_bytes(a), unpack_signed_bytes(b));
}

fn unpack_unsigned_bytes(bits: u32) -> vec4<u32> {
  return (vec4<u32>(bits) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u);
}

fn dot_unsigned_bytes(a: u32, b: u32) -> u32 {
  return dot(unpack_unsigned_bytes(a), unpack_unsigned_bytes(b));
}

@compute @workgroup_size(32, 1, 1)
fn dots(@builtin(global_invocation_id) id: vec3<u32>) {
  var sum = 0i;
  for (var k = 0u; k < 16u; k++) {
    sum += dot_signed_bytes(a[k], a[id.x + k]);
  }
  sums[id.x] = sum;
  usums[id.x] = dot_unsigned_bytes(a[0], a[id.x]);
}
