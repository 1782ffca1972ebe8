// target: f16_ptx
// tensor: x buffer f16 1,1,9,1,8
// tensor: y buffer f16 1,1,9,1,8
// Halves in buffers as words, where single accesses of halves are dear, and conversions by instructions.
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;

@compute @workgroup_size(64)
fn halves_by_ptx(@builtin(global_invocation_id) at: vec3u) {
  tensorStore(y, at.y, at.x, tensorLoad(x, at.y, at.x) * 2.0);
}
