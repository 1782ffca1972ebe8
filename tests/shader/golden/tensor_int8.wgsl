// tensor: x buffer i8 1,1,5,1,32
// tensor: u buffer u8 1,1,5,1,32
// tensor: y buffer i8 1,1,5,1,32
// tensor: z buffer f32 1,1,5,1,32
@tensor var<read> x: tensor<i32>;
@tensor var<read> u: tensor<u32>;
@tensor var<write> y: tensor<i32>;
@tensor var<write> z: tensor<f32>;

@compute @workgroup_size(8)
fn bytes(@builtin(global_invocation_id) id: vec3u) {
  let v = tensorLoad(x, id.x);
  tensorStore(y, id.x, v + vec4i(tensorLoad(u, id.x)));
  tensorStore(z, id.x, vec4f(v));
}
