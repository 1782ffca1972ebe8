var<storage, read_write> y: array<i32>;

@compute @workgroup_size(64)
fn chain(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < 4u) {
    y[id.x] = 1;
  } else if (id.x < 8u) {
    y[id.x] = 2;
  } else {
    y[id.x] = 3;
  }
  if (id.x > 100u) {
    return;
  }
  if (id.x == 7u) {
  } else {
    y[0] = 9;
  }
}
