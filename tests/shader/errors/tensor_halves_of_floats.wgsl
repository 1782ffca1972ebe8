// tensor: x f32 1,1,1,1,8
@tensor var<read> x: tensor<f32>;
@compute @workgroup_size(1)
fn main() {
  let bits = tensorLoadHalves(x, 0);
}
