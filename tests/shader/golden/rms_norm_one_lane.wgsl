// One invocation a workgroup, as on a CPU: the reduction and its barriers are gone.
// set: lanes=1
// tensor: x buffer f32 1,1,4,1,576
// tensor: y buffer f32 1,1,4,1,576
import package::reduce::{lanes, workgroup_sum};

@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;

@compute @workgroup_size(lanes)
fn norm(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  var squares = 0.0;
  for (var s = local.x; s < tensorSlices(x); s += lanes) {
    let v = tensorLoad(x, at.x, s);
    squares += dot(v, v);
  }
  let scale = inverseSqrt(workgroup_sum(squares, local.x));
  for (var s = local.x; s < tensorSlices(x); s += lanes) {
    tensorStore(y, at.x, s, tensorLoad(x, at.x, s) * scale);
  }
}
