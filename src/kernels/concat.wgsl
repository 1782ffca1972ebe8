// y = x and x2 one after the other along the channels, for readers that take one tensor.
import package::active_rows::active_rows;
import package::parameters::Parameters;

@tensor var<read> x: tensor<f32>;
@tensor var<read> x2: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

override lanes_s: u32;
override lanes_x: u32;

@compute @workgroup_size(lanes_s, lanes_x)
fn concat(@builtin(global_invocation_id) at: vec3u) {
  let s = at.x;
  let column = at.y;
  if (s < tensorSlices(y) && column < active_rows(tensorWidth(y), parameters.tokens)) {
    let row = at.z % tensorHeight(y);
    let b = at.z / tensorHeight(y);
    var value: vec4f;
    if (s < tensorSlices(x)) {
      value = tensorLoad(x, b, row, column, s);
    } else {
      value = tensorLoad(x2, b, row, column, s - tensorSlices(x));
    }
    tensorStore(y, b, row, column, s, value);
  }
}
