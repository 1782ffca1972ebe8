// y = x / sqrt(mean of squares of x over the channels of a head + epsilon) * gamma, for every head of a token. A
// workgroup a token: an invocation takes the squares of whole heads, then whole slices of the result, which need not
// begin where a head does. Any head size.
import package::rotary::{head_size, channel, plain_slice};

@tensor var<read> x: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
@tensor var<write> y: tensor<f32>;

override epsilon: f32;
override lanes: u32;

const heads = tensorChannels(x) / head_size;

var<workgroup> scales: array<f32, heads>;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes)
fn head_norm(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let token = at.x;
  for (var head = local.x; head < heads; head += lanes) {
    var squares = 0.0;
    for (var s = 0u; s < (head_size + 3u) / 4u; s++) {
      let v = plain_slice(x, token, head * head_size, s);
      squares += dot(v, v);
    }
    scales[head] = inverseSqrt(squares / f32(head_size) + epsilon);
  }
  workgroupBarrier();
  for (var s = local.x; s < tensorSlices(y); s += lanes) {
    var value = vec4f();
    if (head_size % 4u == 0u) {
      let head = 4u * s / head_size;
      value = tensorLoad(x, token, s) * scales[head] * tensorLoad(gamma, s - head * (head_size / 4u));
    } else {
      for (var i = 0u; i < 4u; i++) {
        let c = 4u * s + i;
        if (c < tensorChannels(y)) {
          let place = c % head_size;
          value[i] = channel(x, token, c) * scales[c / head_size] * tensorLoad(gamma, place / 4u)[place % 4u];
        }
      }
    }
    tensorStore(y, token, s, epilogue(value, 0u, 0u, token, s));
  }
}
