// tensor: x f16 1,2,3,1,8
@tensor var<write> x: tensor<f16>;

@compute @workgroup_size(1)
fn main() {
  tensorStore(x, 0, vec4f());
}
