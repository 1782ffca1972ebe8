// The input of a convolution made ready: joined from two tensors along the channels, and the prologue applied. Where
// many workgroups read it, under each tap of a window, this is done once.
import package::joined_input::joined_load;

override lanes: u32;

@tensor var<read> x: tensor<f32>;
@tensor var<read> x2: tensor<f32>;
@tensor var<write> ready: tensor<f32>;

@fusion fn prologue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes)
fn conv_input(@builtin(global_invocation_id) at: vec3u) {
  let s = at.x % tensorSlices(ready);
  let p = at.x / tensorSlices(ready);
  const batch = tensorBatch(ready);
  const width = tensorWidth(ready);
  if (p >= batch * width * tensorHeight(ready)) {
    return;
  }
  let b = p % batch;
  let y = p / (batch * width);
  let column = p / batch % width;
  tensorStore(ready, b, y, column, s, prologue(joined_load(x, x2, b, y, column, s), b, y, column, s));
}
