// tensor: x f32 1,1,4,1,8
// tensor: y f32 1,1,4,1,8
// tensor: z f32 1,1,4,1,8
import package::lib::{used, unused};
@tensor var<read> x: tensor<f32>;
@tensor var<read> y: tensor<f32>;
@tensor var<write> z: tensor<f32>;
var<workgroup> scratch: array<f32, 4>;
var<private> other: f32;
override full = false;

fn idle() -> f32 { return tensorLoad(y, 0).x; }

@compute @workgroup_size(1)
fn main() {
  var v = tensorLoad(x, 0);
  if (full) {
    v += vec4f(unused(&other));
  }
  tensorStore(z, 0, v * used());
}
//// package::lib
fn used() -> f32 { return 2.0; }
fn unused(p: ptr<private, f32>) -> f32 { return *p; }
