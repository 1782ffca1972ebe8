// tensor: ids image_buffer i32 1,1,5,1,32
// tensor: bytes texture_2d i8 1,1,5,1,32
// tensor: flags texture_2d u8 1,1,5,1,32
// tensor: y texture_2d u8 1,1,5,1,32
// tensor: z texture_2d i8 1,1,5,1,32
@tensor var<read> ids: tensor<i32>;
@tensor var<read> bytes: tensor<i32>;
@tensor var<read> flags: tensor<u32>;
@tensor var<write> y: tensor<u32>;
@tensor var<write> z: tensor<i32>;

@compute @workgroup_size(8)
fn values(@builtin(global_invocation_id) id: vec3u) {
  let v = tensorLoad(ids, id.x) + tensorLoad(bytes, id.x);
  tensorStore(y, id.x, vec4u(v) + tensorLoad(flags, id.x));
  tensorStore(z, id.x, v);
}
