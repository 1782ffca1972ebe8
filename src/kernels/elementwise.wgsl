// One element-wise program over whole tensors. The program is the fusion point: it reads its inputs as tensors of its
// own and does not need `value`.
import package::active_rows::active_rows;
import package::parameters::Parameters;

@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

override lanes_s: u32;
override lanes_x: u32;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes_s, lanes_x)
fn elementwise(@builtin(global_invocation_id) at: vec3u) {
  let s = at.x;
  let x = at.y;
  if (s < tensorSlices(y) && x < active_rows(tensorWidth(y), parameters.tokens)) {
    let row = at.z % tensorHeight(y);
    let b = at.z / tensorHeight(y);
    tensorStore(y, b, row, x, s, epilogue(vec4f(0.0), b, row, x, s));
  }
}
