// RoPE of every head of x. A workgroup a token, an invocation a slice of the result; any head size.
import package::parameters::Parameters;
import package::rotary::{head_size, turned_channel};

@tensor var<read> x: tensor<f32>;
@tensor var<read> frequencies: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

override lanes: u32;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes)
fn rope(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let token = at.x;
  let position = f32(parameters.position + token);
  for (var s = local.x; s < tensorSlices(y); s += lanes) {
    var value = vec4f();
    for (var i = 0u; i < 4u; i++) {
      let c = 4u * s + i;
      if (c < tensorChannels(y)) {
        value[i] = turned_channel(x, frequencies, token, position, c / head_size * head_size, c % head_size);
      }
    }
    tensorStore(y, token, s, epilogue(value, 0u, 0u, token, s));
  }
}
