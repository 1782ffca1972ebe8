// tensor: ids buffer i32 1,1,5,1,32
// tensor: flags buffer u32 1,1,5,1,32
// tensor: y buffer u32 1,1,5,1,32
@tensor var<read> ids: tensor<i32>;
@tensor var<read> flags: tensor<u32>;
@tensor var<write> y: tensor<u32>;

@compute @workgroup_size(8)
fn values(@builtin(global_invocation_id) id: vec3u) {
  tensorStore(y, id.x, vec4u(tensorLoad(ids, id.x)) + tensorLoad(flags, id.x));
}
