// tensor: x buffer f32 2,3,5,1,10
// tensor: y buffer f32 2,3,5,1,10
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;

@compute @workgroup_size(8, 4, 1)
fn double(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= tensorSlices(x) || id.y >= tensorWidth(x) || id.z >= tensorHeight(x)) {
    return;
  }
  for (var b = 0u; b < tensorBatch(x); b++) {
    tensorStore(y, b, id.z, id.y, id.x, tensorLoad(x, b, id.z, id.y, id.x) * 2.0);
  }
}
