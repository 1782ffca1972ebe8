// Appends keys or values to a cache: token t goes to place position + t, modulo the cache size where it is a ring. A
// workgroup a head of a token.
import package::kv_cache_write::{cache_place, store_k, finish_k};
import package::parameters::Parameters;
import package::reduce::lanes;
import package::rotary::{head_size, plain_slice};

@tensor var<read> x: tensor<f32>;
var<uniform> parameters: Parameters;

@compute @workgroup_size(lanes)
fn cache_write(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let head = at.x;
  let token = at.y;
  let place = cache_place(parameters.position + token);
  for (var s = local.x; s < (head_size + 3u) / 4u; s += lanes) {
    store_k(head, place, s, plain_slice(x, token, head * head_size, s));
  }
  finish_k(head, place, local.x);
}
