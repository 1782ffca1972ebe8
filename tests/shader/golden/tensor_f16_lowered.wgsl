// The activation type is f16, the device has no half arithmetic.
// alias: act=f16
// tensor: x buffer f16 1,3,5,1,10
// tensor: y buffer f16 1,3,5,1,10
enable f16;
alias act = f32;
@tensor var<read> x: tensor<act>;
@tensor var<write> y: tensor<act>;

@compute @workgroup_size(8, 4, 1)
fn double(@builtin(global_invocation_id) id: vec3u) {
  let v = vec4f(tensorLoad(x, id.z, id.y, id.x));
  tensorStore(y, id.z, id.y, id.x, vec4<act>(v * 2.0));
}
