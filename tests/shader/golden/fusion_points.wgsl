// tensor: x buffer f32 1,1,4,1,16
// tensor: y buffer f32 1,1,4,1,16
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(4, 4)
fn scale(@builtin(global_invocation_id) id: vec3u) {
  let v = tensorLoad(x, id.y, id.x) * 3.0;
  tensorStore(y, id.y, id.x, epilogue(v, 0u, 0u, id.y, id.x));
}
