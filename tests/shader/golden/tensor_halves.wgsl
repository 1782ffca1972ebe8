// target: f16
// tensor: x buffer f16 1,3,5,1,16
// tensor: y buffer f32 1,3,5,1,16
// The words of a texel as they are stored, whatever the tensor's type is.
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;

@compute @workgroup_size(64)
fn tensor_halves(@builtin(global_invocation_id) at: vec3u) {
  let words = tensorLoadHalves(x, at.z, at.y, at.x / 4u, at.x % 4u);
  let value = vec4f(unpack2x16float(words.x), unpack2x16float(words.y));
  tensorStore(y, at.z, at.y, at.x / 4u, at.x % 4u, value + tensorLoad(x, 0));
}
