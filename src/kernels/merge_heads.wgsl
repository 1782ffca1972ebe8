// Attention by head {H = heads, W = tokens, C = head_size} to {W = tokens, C = heads * head_size}: for head sizes that
// are no multiple of four, where a slice of the result holds channels of two heads.
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;

override head_size: u32;
override lanes: u32;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes)
fn merge_heads(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let token = at.x;
  for (var s = local.x; s < tensorSlices(y); s += lanes) {
    var value = vec4f();
    for (var i = 0u; i < 4u; i++) {
      let c = 4u * s + i;
      if (c < tensorChannels(y)) {
        let within = c % head_size;
        value[i] = tensorLoad(x, 0u, c / head_size, token, within / 4u)[within % 4u];
      }
    }
    tensorStore(y, token, s, epilogue(value, 0u, 0u, token, s));
  }
}
