@group(0) @binding(0) var<storage, read_write> y: array<i32>;

@compute @workgroup_size(64, 1, 1)
fn chain(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < 4u) {
    y[id.x] = 1i;
  } else if (id.x < 8u) {
    y[id.x] = 2i;
  } else {
    y[id.x] = 3i;
  }
  if (id.x > 100u) {
    return;
  }
  if (id.x != 7u) {
    y[0] = 9i;
  }
}
