// set: lanes=64
import package::reduce::{lanes, workgroup_sum};
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(lanes)
fn sums(@builtin(local_invocation_id) local: vec3u) {
  let a = workgroup_sum(y[local.x], local.x);
  let b = workgroup_sum(y[local.x] * a, local.x);
  y[local.x] = b;
}
