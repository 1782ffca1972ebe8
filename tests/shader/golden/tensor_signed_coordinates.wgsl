// tensor: x buffer f32 1,6,6,1,16
// tensor: y buffer f32 1,6,6,1,16
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;

@compute @workgroup_size(4, 4, 4)
fn blur(@builtin(global_invocation_id) id: vec3u) {
  let at = vec3i(id);
  var sum = vec4f();
  for (var dy = -1; dy <= 1; dy++) {
    for (var dx = -1; dx <= 1; dx++) {
      let row = at.y + dy;
      let column = at.x + dx;
      if (row >= 0 && row < i32(tensorHeight(x)) && column >= 0 && column < i32(tensorWidth(x))) {
        sum += tensorLoad(x, row, column, at.z);
      }
    }
  }
  tensorStore(y, at.y, at.x, at.z, sum / 9.0);
}
