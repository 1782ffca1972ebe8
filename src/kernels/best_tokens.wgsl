// Choosing a token, first half: the `count` best of each part of the vocabulary, a workgroup a part of lanes * held
// tokens, best first, for choose_token. Logits that are no finite numbers come last, and are told of.
import package::top_entries::{count, held, lanes, place_of, take_best, taken_count, taken_ids, taken_values, Ids, Values};

@tensor var<read> logits: tensor<f32>;    // of one token
@tensor var<read> settings: tensor<f32>;  // temperature, top-p, min-p, repetition penalty
@tensor var<read> history: tensor<u32>;   // (id, not finite) of the token at position p in place p modulo the places
@tensor var<read> run: tensor<u32>;       // graph::Parameters: tokens, position
@tensor var<write> parts: tensor<f32>;    // (logit, id, not finite) of the best tokens

override window: u32 = 0;  // last tokens that the repetition penalty looks at

const part = lanes * held;
const slices = held / 4u;
const lowest = -3.4028234e38;
const exponent = 0x7f800000u;

var<workgroup> seen: array<atomic<u32>, (part + 31u) / 32u>;
var<workgroup> not_finite: atomic<u32>;

// Marks the tokens of this part that are among the last `window`.
fn mark_seen(first: u32, lane: u32) {
  for (var i = lane; i < (part + 31u) / 32u; i += lanes) {
    atomicStore(&seen[i], 0u);
  }
  workgroupBarrier();
  let places = tensorWidth(history);
  let position = tensorLoad(run, 0u).y;
  for (var i = lane; i < places; i += lanes) {
    let age = (position % places + places - i) % places;
    let id = tensorLoad(history, i, 0u).x;
    if (age < window && id >= first && id - first < part) {
      atomicOr(&seen[(id - first) / 32u], 1u << ((id - first) % 32u));
    }
  }
  workgroupBarrier();
}

fn penalized(value: f32, penalty: f32) -> f32 {
  return clamp(select(value * penalty, value / penalty, value > 0.0), lowest, -lowest);
}

@compute @workgroup_size(lanes)
fn best_tokens(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let lane = local.x;
  let first = group.x * part;
  if (lane == 0u) {
    atomicStore(&not_finite, 0u);
  }
  var penalty = 1.0;
  if (window > 0u) {
    mark_seen(first, lane);
    penalty = tensorLoad(settings, 0u).w;
  } else {
    workgroupBarrier();
  }
  var fours: array<vec4f, slices>;
  @unroll for (var i = 0u; i < slices; i++) {
    let slice = first / 4u + i * lanes + lane;
    fours[i] = vec4f();
    if (slice < tensorSlices(logits)) {
      fours[i] = tensorLoad(logits, slice);
    }
  }
  var values: Values;
  var ids: Ids;
  var is_wrong = false;
  @unroll for (var i = 0u; i < slices; i++) {
    @unroll for (var c = 0u; c < 4u; c++) {
      let id = first + 4u * (i * lanes + lane) + c;
      let is_token = id < tensorChannels(logits);
      let is_finite = (bitcast<u32>(fours[i][c]) & exponent) != exponent;
      is_wrong = is_wrong || (is_token && !is_finite);
      var value = select(lowest, fours[i][c], is_token && is_finite);
      if (window > 0u) {
        let bit = id - first;
        if (((atomicLoad(&seen[bit / 32u]) >> (bit % 32u)) & 1u) != 0u) {
          value = penalized(value, penalty);
        }
      }
      values[4u * i + c] = value;
      ids[4u * i + c] = id;
    }
  }
  if (is_wrong) {
    atomicStore(&not_finite, 1u);
  }
  take_best(lane, &values, &ids);
  let all = taken_count();
  let flag = f32(atomicLoad(&not_finite));
  for (var i = lane; i < all; i += lanes) {
    let place = place_of(i);
    if (place < count) {
      tensorStore(parts, group.x * count + place, 0u, vec4f(taken_values[i], f32(taken_ids[i]), flag, 0.0));
    }
  }
}
