// tensor: x f32 1,1,4,1,8
// tensor: y f32 1,1,4,1,8
// tensor: z f32 1,1,4,1,8
// A function that takes tensors is made once for each combination.
@tensor var<read> x: tensor<f32>;
@tensor var<read> y: tensor<f32>;
@tensor var<write> z: tensor<f32>;

fn sum(t: tensor<f32>, count: u32) -> vec4f {
  var total = vec4f();
  for (var i = 0u; i < min(count, tensorWidth(t)); i++) { total += load(t, i); }
  return total;
}

fn load(source: tensor<f32>, i: u32) -> vec4f {
  return tensorLoad(source, i, 0);
}

@compute @workgroup_size(1)
fn main() {
  tensorStore(z, 0, sum(x, 2) + sum(y, 3) + sum(x, 4));
}
