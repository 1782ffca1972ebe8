// The norm of queries and keys where they have one, RoPE, the queries' head layout, and both cache writes: a workgroup
// for `heads_per_group` of the (heads + 2 kv_heads) heads of one token. An invocation turns the same channels of all of
// them, so that an angle is computed once.
//
// q, k and v may be one merged tensor: q_base, k_base and v_base say at which channel each begins.
import package::kv_cache_write::{cache_place, store_k, store_v, finish_k, finish_v, wait_for_all};
import package::parameters::Parameters;
import package::reduce::{lanes, workgroup_sum};
import package::rotary::{head_size, rotary, adjacent, magnitude, turn, turned, partner, channel, plain_slice};

@tensor var<read> q: tensor<f32>;
@tensor var<read> k: tensor<f32>;
@tensor var<read> v: tensor<f32>;
@tensor var<read> frequencies: tensor<f32>;
@tensor var<read> q_gamma: tensor<f32>;  // factors of the norms
@tensor var<read> k_gamma: tensor<f32>;
@tensor var<write> q_out: tensor<f32>;   // {H = kv_heads, W = tokens * group, C = head_size}
var<uniform> parameters: Parameters;

override heads: u32;
override kv_heads: u32;
override q_base: u32 = 0;
override k_base: u32 = 0;
override v_base: u32 = 0;
override heads_per_group: u32;
override aligned: bool;  // heads, halves and bases fall on slices: whole slices are turned at once
override normed: bool = false;
override epsilon: f32 = 0.0;

const group = heads / kv_heads;
const slices = (head_size + 3u) / 4u;
// Of an aligned head: steps that turn, each a slice or a pair of slices, and one for each slice that passes through.
const turning = select(rotary / 8u, rotary / 4u, adjacent);
const steps = turning + slices - rotary / 4u;
const columns = max(1u, (steps + lanes - 1u) / lanes);  // steps of an invocation

struct Angles {
  cosines: array<vec4f, columns>,
  sines: array<vec4f, columns>,
}

// A head where it does not fall on slices, before it is turned.
var<workgroup> channels: array<f32, select(head_size, 1u, aligned)>;

fn find_angles(angles: ptr<function, Angles>, position: f32, lane: u32) {
  for (var i = 0u; i < columns; i++) {
    let j = lane + i * lanes;
    if (j < turning) {
      if (adjacent) {
        let first = turn(frequencies, position, 2u * j);
        let second = turn(frequencies, position, 2u * j + 1u);
        (*angles).cosines[i] = vec4f(first.xx, second.xx);
        (*angles).sines[i] = vec4f(-first.y, first.y, -second.y, second.y);
      } else {
        let angle = position * tensorLoad(frequencies, j);
        (*angles).cosines[i] = cos(angle) * magnitude;
        (*angles).sines[i] = sin(angle) * magnitude;
      }
    }
  }
}

// 1 / root of the mean of squares of a head.
fn norm_of(x: tensor<f32>, token: u32, base: u32, lane: u32) -> f32 {
  if (!normed) {
    return 1.0;
  }
  var squares = vec4f();
  for (var s = lane; s < slices; s += lanes) {
    let value = plain_slice(x, token, base, s);
    squares += value * value;
  }
  let sum = workgroup_sum(squares.x + squares.y + squares.z + squares.w, lane);
  return inverseSqrt(sum / f32(head_size) + epsilon);
}

// Slice s of an aligned head, normed.
fn normed_slice(x: tensor<f32>, gamma: tensor<f32>, token: u32, base: u32, s: u32, norm: f32) -> vec4f {
  let value = tensorLoad(x, token, base / 4u + s);
  if (normed) {
    return value * norm * tensorLoad(gamma, s);
  }
  return value;
}

fn store_turned(is_key: bool, token: u32, place: u32, head: u32, s: u32, value: vec4f) {
  if (is_key) {
    store_k(head, place, s, value);
  } else {
    tensorStore(q_out, 0u, head / group, token * group + head % group, s, value);
  }
}

fn turn_aligned(x: tensor<f32>, gamma: tensor<f32>, is_key: bool, token: u32, place: u32, head: u32, base: u32,
                norm: f32, angles: ptr<function, Angles>, lane: u32) {
  for (var i = 0u; i < columns; i++) {
    let j = lane + i * lanes;
    if (j < turning && !adjacent) {
      let c = (*angles).cosines[i];
      let n = (*angles).sines[i];
      let low = normed_slice(x, gamma, token, base, j, norm);
      let high = normed_slice(x, gamma, token, base, j + turning, norm);
      store_turned(is_key, token, place, head, j, low * c - high * n);
      store_turned(is_key, token, place, head, j + turning, high * c + low * n);
    } else if (j < turning) {
      let value = normed_slice(x, gamma, token, base, j, norm);
      store_turned(is_key, token, place, head, j, value * (*angles).cosines[i] + value.yxwz * (*angles).sines[i]);
    } else if (j < steps) {
      let s = j - turning + rotary / 4u;
      store_turned(is_key, token, place, head, s, normed_slice(x, gamma, token, base, s, norm));
    }
  }
}

// A head that does not fall on slices: its channels pass through workgroup memory, where any of them finds its partner.
fn turn_channels(x: tensor<f32>, gamma: tensor<f32>, is_key: bool, token: u32, place: u32, head: u32, base: u32,
                 norm: f32, position: f32, lane: u32) {
  for (var c = lane; c < head_size; c += lanes) {
    var value = channel(x, token, base + c);
    if (normed) {
      value *= norm * tensorLoad(gamma, c / 4u)[c % 4u];
    }
    channels[c] = value;
  }
  wait_for_all();
  for (var s = lane; s < slices; s += lanes) {
    var value = vec4f();
    for (var i = 0u; i < 4u; i++) {
      let c = 4u * s + i;
      if (c < rotary) {
        value[i] = turned(frequencies, position, c, channels[c], channels[partner(c)]);
      } else if (c < head_size) {
        value[i] = channels[c];
      }
    }
    store_turned(is_key, token, place, head, s, value);
  }
  wait_for_all();
}

// Norms and turns the head that begins at channel `base` of x.
fn turn_head(x: tensor<f32>, gamma: tensor<f32>, is_key: bool, token: u32, place: u32, head: u32, base: u32,
             position: f32, angles: ptr<function, Angles>, lane: u32) {
  let norm = norm_of(x, token, base, lane);
  if (aligned) {
    turn_aligned(x, gamma, is_key, token, place, head, base, norm, angles, lane);
  } else {
    turn_channels(x, gamma, is_key, token, place, head, base, norm, position, lane);
  }
}

@compute @workgroup_size(lanes)
fn rope_qkv(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let token = at.y;
  let lane = local.x;
  let place = cache_place(parameters.position + token);
  let position = f32(parameters.position + token);
  let first_head = at.x * heads_per_group;
  let end_head = min(first_head + heads_per_group, heads + 2u * kv_heads);

  var angles: Angles;
  if (aligned && first_head < heads + kv_heads) {
    find_angles(&angles, position, lane);
  }
  for (var head = first_head; head < min(end_head, heads); head++) {
    turn_head(q, q_gamma, false, token, place, head, q_base + head * head_size, position, &angles, lane);
  }
  for (var head = max(first_head, heads); head < min(end_head, heads + kv_heads); head++) {
    let kv_head = head - heads;
    turn_head(k, k_gamma, true, token, place, kv_head, k_base + kv_head * head_size, position, &angles, lane);
    finish_k(kv_head, place, lane);
  }
  for (var head = max(first_head, heads + kv_heads); head < end_head; head++) {
    let kv_head = head - heads - kv_heads;
    for (var s = lane; s < slices; s += lanes) {
      store_v(kv_head, place, s, plain_slice(v, token, v_base + kv_head * head_size, s));
    }
    finish_v(kv_head, place, lane);
  }
}
