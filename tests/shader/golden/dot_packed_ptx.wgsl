// target: dot ptx
var<storage, read> a: array<u32>;
var<storage, read_write> sums: array<i32>;
var<storage, read_write> usums: array<u32>;

@compute @workgroup_size(32)
fn dots(@builtin(global_invocation_id) id: vec3u) {
  var sum = 0;
  for (var k = 0u; k < 16u; k++) {
    sum += dot4I8Packed(a[k], a[id.x + k]);
  }
  sums[id.x] = sum;
  usums[id.x] = dot4U8Packed(a[0], a[id.x]) + 1u;
  usums[id.x + 1u] = dot4U8Packed(a[0], a[id.x]);
}
