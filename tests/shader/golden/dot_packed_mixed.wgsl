// target: dot khr mixed_dot
var<storage, read> a: array<u32>;
var<storage, read_write> sums: array<i32>;

@compute @workgroup_size(32)
fn dots(@builtin(global_invocation_id) id: vec3u) {
  sums[id.x] = dot4I8Packed(a[0], a[id.x]) + 1 + dot4U8I8Packed(a[1], a[id.x]) + i32(dot4U8Packed(a[2], a[id.x]));
}
