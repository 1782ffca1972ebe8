// alias: value=vec2f
alias value = f32;
alias list = array<value, 3>;
var<storage, read_write> y: array<list>;

@compute @workgroup_size(1)
fn aliased() {
  y[0][1] = value() + y[1][2];
}
