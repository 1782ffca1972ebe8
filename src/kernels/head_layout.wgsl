// Queries by KV head: head h of token t becomes row t * group + h % group of KV head h / group. Any head size.
import package::rotary::{head_size, plain_slice};

@tensor var<read> q: tensor<f32>;
@tensor var<write> y: tensor<f32>;

override heads: u32;
override kv_heads: u32;
override lanes: u32;

const group = heads / kv_heads;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes)
fn head_layout(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let head = at.x;
  let token = at.y;
  let row = token * group + head % group;
  for (var s = local.x; s < tensorSlices(y); s += lanes) {
    tensorStore(y, 0u, head / group, row, s,
                epilogue(plain_slice(q, token, head * head_size, s), 0u, head / group, row, s));
  }
}
