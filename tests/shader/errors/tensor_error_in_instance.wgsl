// tensor: x f32 1,2,3,1,8
@tensor var<read> x: tensor<f32>;

fn load(t: tensor<f32>) -> f32 {
  return tensorLoad(t, 0);
}

@compute @workgroup_size(1)
fn main() {
  _ = load(x);
}
