// RoPE of queries and keys, the queries' head layout, and both cache writes: a workgroup for `heads_per_group` of the
// (heads + 2 kv_heads) heads of one token; an invocation turns one slice (or pair of slices) of all of them, so that an
// angle is computed once.
//
// q, k and v may be one merged tensor: q_base, k_base and v_base say at which channel each begins.
import package::parameters::Parameters;
import package::rotary::{head_size, rotary, adjacent, turn, turned_slice, plain_slice};

@tensor var<read> q: tensor<f32>;
@tensor var<read> k: tensor<f32>;
@tensor var<read> v: tensor<f32>;
@tensor var<read> frequencies: tensor<f32>;
@tensor var<write> q_out: tensor<f32>;    // {H = kv_heads, W = tokens * group, C = head_size}
@tensor var<write> k_cache: tensor<f32>;  // {H = kv_heads, W = cache size, C = head_size}
@tensor var<write> v_cache: tensor<f32>;
var<uniform> parameters: Parameters;

override heads: u32;
override kv_heads: u32;
override q_base: u32 = 0;
override k_base: u32 = 0;
override v_base: u32 = 0;
override heads_per_group: u32;
override lanes: u32;
override aligned: bool;  // heads, halves and bases fall on slices: whole slices are turned at once
override ring: bool;

const group = heads / kv_heads;
const slices = (head_size + 3u) / 4u;

fn store_q(token: u32, head: u32, s: u32, value: vec4f) {
  tensorStore(q_out, 0u, head / group, token * group + head % group, s, value);
}

fn store_k(place: u32, head: u32, s: u32, value: vec4f) {
  tensorStore(k_cache, 0u, head, place, s, value);
}

fn rotate_pairs(value: vec4f, first: vec2f, second: vec2f) -> vec4f {
  return vec4f(value.x * first.x - value.y * first.y, value.y * first.x + value.x * first.y,
               value.z * second.x - value.w * second.y, value.w * second.x + value.z * second.y);
}

@compute @workgroup_size(lanes)
fn rope_qkv(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let token = at.y;
  let place = select(parameters.position + token, (parameters.position + token) % tensorWidth(k_cache), ring);
  let position = f32(parameters.position + token);
  let first_head = at.x * heads_per_group;
  let end_head = min(first_head + heads_per_group, heads + 2u * kv_heads);

  if (aligned) {
    // Lanes 0 .. turning-1 turn, the rest of the slices pass through.
    let turning = select(rotary / 8u, rotary / 4u, adjacent);
    let passing = slices - rotary / 4u;
    for (var j = local.x; j < turning + passing; j += lanes) {
      if (j < turning && !adjacent) {
        let a = position * tensorLoad(frequencies, j);
        let c = cos(a);
        let n = sin(a);
        for (var head = first_head; head < min(end_head, heads + kv_heads); head++) {
          if (head < heads) {
            let base = (q_base + head * head_size) / 4u;
            let low = tensorLoad(q, token, base + j);
            let high = tensorLoad(q, token, base + j + turning);
            store_q(token, head, j, low * c - high * n);
            store_q(token, head, j + turning, high * c + low * n);
          } else {
            let base = (k_base + (head - heads) * head_size) / 4u;
            let low = tensorLoad(k, token, base + j);
            let high = tensorLoad(k, token, base + j + turning);
            store_k(place, head - heads, j, low * c - high * n);
            store_k(place, head - heads, j + turning, high * c + low * n);
          }
        }
      } else if (j < turning) {
        let first = turn(frequencies, position, 2u * j);
        let second = turn(frequencies, position, 2u * j + 1u);
        for (var head = first_head; head < min(end_head, heads + kv_heads); head++) {
          if (head < heads) {
            store_q(token, head, j, rotate_pairs(tensorLoad(q, token, (q_base + head * head_size) / 4u + j), first, second));
          } else {
            store_k(place, head - heads, j,
                    rotate_pairs(tensorLoad(k, token, (k_base + (head - heads) * head_size) / 4u + j), first, second));
          }
        }
      } else {
        let s = j - turning + rotary / 4u;
        for (var head = first_head; head < min(end_head, heads + kv_heads); head++) {
          if (head < heads) {
            store_q(token, head, s, tensorLoad(q, token, (q_base + head * head_size) / 4u + s));
          } else {
            store_k(place, head - heads, s, tensorLoad(k, token, (k_base + (head - heads) * head_size) / 4u + s));
          }
        }
      }
    }
  } else {
    for (var s = local.x; s < slices; s += lanes) {
      for (var head = first_head; head < min(end_head, heads + kv_heads); head++) {
        if (head < heads) {
          store_q(token, head, s, turned_slice(q, frequencies, token, position, q_base + head * head_size, s));
        } else {
          store_k(place, head - heads, s, turned_slice(k, frequencies, token, position, k_base + (head - heads) * head_size, s));
        }
      }
    }
  }

  for (var s = local.x; s < slices; s += lanes) {
    for (var head = max(first_head, heads + kv_heads); head < end_head; head++) {
      let kv_head = head - heads - kv_heads;
      tensorStore(v_cache, 0u, kv_head, place, s, plain_slice(v, token, v_base + kv_head * head_size, s));
    }
  }
}
