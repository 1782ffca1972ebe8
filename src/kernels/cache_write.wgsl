// Appends keys or values to a cache: token t goes to place position + t, modulo the cache size where it is a ring.
import package::parameters::Parameters;
import package::rotary::{head_size, plain_slice};

@tensor var<read> x: tensor<f32>;
@tensor var<write> cache: tensor<f32>;
var<uniform> parameters: Parameters;

override ring: bool;
override lanes: u32;

@compute @workgroup_size(lanes)
fn cache_write(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let head = at.x;
  let token = at.y;
  let place = select(parameters.position + token, (parameters.position + token) % tensorWidth(cache), ring);
  for (var s = local.x; s < tensorSlices(cache); s += lanes) {
    tensorStore(cache, 0u, head, place, s, plain_slice(x, token, head * head_size, s));
  }
}
