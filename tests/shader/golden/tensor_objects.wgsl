// Two textures for one tensor.
// tensor: x texture_2d f16 1,3,5,1,32 2
// tensor: y buffer f32 1,3,5,1,32
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;

@compute @workgroup_size(8, 4, 1)
fn gather(@builtin(global_invocation_id) id: vec3u) {
  tensorStore(y, id.z, id.y, 0u, tensorLoad(x, id.z, id.y, 1u));
  tensorStore(y, id.z, id.y, 1u, tensorLoad(x, id.z, id.y, id.x));
}
