// The input of a convolution or a norm, which may be two tensors joined along the channels.
override joined: bool;  // whether x2 follows x

fn joined_load(x: tensor<f32>, x2: tensor<f32>, b: u32, y: u32, column: u32, s: u32) -> vec4f {
  if (joined && s >= tensorSlices(x)) {
    return tensorLoad(x2, b, y, column, s - tensorSlices(x));
  }
  return tensorLoad(x, b, y, column, s);
}
