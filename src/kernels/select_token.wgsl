// y = the last active token of x.
import package::parameters::Parameters;

@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

override lanes: u32;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes)
fn select_token(@builtin(global_invocation_id) at: vec3u) {
  let s = at.x;
  if (s < tensorSlices(x)) {
    tensorStore(y, 0u, s, epilogue(tensorLoad(x, parameters.tokens - 1u, s), 0u, 0u, 0u, s));
  }
}
