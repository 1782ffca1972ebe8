// tensor: x f32 1,2,3,1,8
@tensor var<read> x: tensor<f32>;

@compute @workgroup_size(1)
fn main() {
  _ = tensorLoad(x, 1.5);
}
