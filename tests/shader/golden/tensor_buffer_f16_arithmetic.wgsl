// target: f16
// alias: act=f16
// tensor: x buffer f16 1,3,5,1,10
// tensor: y buffer f16 1,3,5,1,10
// tensor: z buffer f32 1,3,5,1,10
enable f16;
alias act = f32;
@tensor var<read> x: tensor<act>;
@tensor var<write> y: tensor<act>;
@tensor var<read_write> z: tensor<act>;

@compute @workgroup_size(8, 4, 1)
fn double(@builtin(global_invocation_id) id: vec3u) {
  let v = tensorLoad(x, id.z, id.y, id.x) + tensorLoad(z, id.z, id.y, id.x);
  tensorStore(y, id.z, id.y, id.x, v * act(2.0));
  tensorStore(z, id.z, id.y, id.x, v);
}
