requires packed_4x8_integer_dot_product;

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<i32>;
@group(0) @binding(2) var<storage, read_write> usums: array<u32>;

@compute @workgroup_size(32, 1, 1)
fn dots(@builtin(global_invocation_id) id: vec3<u32>) {
  var sum = 0i;
  for (var k = 0u; k < 16u; k++) {
    sum += dot4I8Packed(a[k], a[id.x + k]);
  }
  sums[id.x] = sum;
  usums[id.x] = dot4U8Packed(a[0], a[id.x]) + 1u;
  usums[id.x + 1u] = dot4U8Packed(a[0], a[id.x]);
}
