requires packed_4x8_integer_dot_product;

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<i32>;

fn dot_mixed_bytes(a: u32, b: u32) -> i32 {
  return dot4I8Packed(a ^ 2155905152u, b) + 128i * dot4I8Packed(16843009u, b);
}

@compute @workgroup_size(32, 1, 1)
fn dots(@builtin(global_invocation_id) id: vec3<u32>) {
  sums[id.x] = dot4I8Packed(a[0], a[id.x]) + 1i + dot_mixed_bytes(a[1], a[id.x]) + i32(dot4U8Packed(a[2], a[id.x]));
}
