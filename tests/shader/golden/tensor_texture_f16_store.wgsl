// An image write may round halves towards zero: values are rounded to the nearest before.
// tensor: x buffer f32 1,3,5,1,10
// tensor: y texture_2d f16 1,3,5,1,10
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;

@compute @workgroup_size(8, 4, 1)
fn double(@builtin(global_invocation_id) id: vec3u) {
  tensorStore(y, id.z, id.y, id.x, tensorLoad(x, id.z, id.y, id.x) * 2.0);
}
