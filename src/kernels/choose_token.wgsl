// Choosing a token, second half: of the best tokens of each part the best of all, and of these one by chance, as
// llm/sampler.h has it. It is left where the next run of the decode program looks for its id and its position.
import package::top_entries::{count, held, lanes, place_of, take_best, taken_count, taken_ids, taken_values, Ids, Values};

@tensor var<read> parts: tensor<f32>;      // of best_tokens
@tensor var<read> settings: tensor<f32>;   // temperature, top-p, min-p, repetition penalty
@tensor var<read> uniforms: tensor<f32>;   // numbers in [0, 1): for position p that in place p modulo the places
@tensor var<write> history: tensor<u32>;   // (id, not finite) of the token at position p in place p modulo the places
@tensor var<write> next_id: tensor<u32>;
@tensor var<read_write> run: tensor<u32>;  // graph::Parameters: tokens, position

override candidates: u32;  // the best of all: `count`, or all tokens of a smaller vocabulary

const lowest = -3.4028234e38;
const no_token = 0x80000000u;  // of entries past the last: ids from here on

var<workgroup> logits: array<f32, candidates>;
var<workgroup> ids_of: array<u32, candidates>;
var<workgroup> plain: array<f32, candidates>;  // weights at temperature 1
var<workgroup> warm: array<f32, candidates>;   // at the temperature asked for
var<workgroup> not_finite: atomic<u32>;

// How many of the candidates top-p and min-p leave.
fn kept_count(top_p: f32, min_p: f32) -> u32 {
  var kept = candidates;
  if (top_p < 1.0) {
    var total = 0.0;
    for (var i = 0u; i < candidates; i++) {
      total += plain[i];
    }
    var sum = 0.0;
    kept = 0u;
    while (kept < candidates && sum < top_p * total) {
      sum += plain[kept];
      kept += 1u;
    }
    kept = max(kept, 1u);
  }
  var likely = 1u;
  while (likely < kept && plain[likely] >= min_p) {
    likely += 1u;
  }
  return likely;
}

fn drawn(kept: u32, uniform_number: f32) -> u32 {
  var total = 0.0;
  for (var i = 0u; i < kept; i++) {
    total += warm[i];
  }
  var left = uniform_number * total;
  var chosen = 0u;
  while (chosen < kept - 1u) {
    left -= warm[chosen];
    if (left < 0.0) {
      break;
    }
    chosen += 1u;
  }
  return chosen;
}

@compute @workgroup_size(lanes)
fn choose_token(@builtin(local_invocation_id) local: vec3u) {
  let lane = local.x;
  if (lane == 0u) {
    atomicStore(&not_finite, 0u);
  }
  workgroupBarrier();
  var values: Values;
  var ids: Ids;
  var is_wrong = false;
  @unroll for (var i = 0u; i < held; i++) {
    let at = i * lanes + lane;
    values[i] = lowest;
    ids[i] = no_token + at;
    if (at < tensorWidth(parts)) {
      let entry = tensorLoad(parts, at, 0u);
      values[i] = entry.x;
      ids[i] = u32(entry.y);
      is_wrong = is_wrong || entry.z != 0.0;
    }
  }
  if (is_wrong) {
    atomicStore(&not_finite, 1u);
  }
  take_best(lane, &values, &ids);
  let all = taken_count();
  for (var i = lane; i < all; i += lanes) {
    let place = place_of(i);
    if (place < candidates) {
      logits[place] = taken_values[i];
      ids_of[place] = taken_ids[i];
    }
  }
  workgroupBarrier();
  let wanted = tensorLoad(settings, 0u);
  if (candidates > 1u) {
    if (lane < candidates) {
      let below = logits[lane] - logits[0];
      plain[lane] = exp(below);
      warm[lane] = exp(below / wanted.x);
    }
    workgroupBarrier();
  }
  if (lane == 0u) {
    let now = tensorLoad(run, 0u);
    let next = now.y + 1u;
    var chosen = 0u;
    if (candidates > 1u) {
      let number = tensorLoad(uniforms, next % tensorWidth(uniforms), 0u).x;
      chosen = drawn(kept_count(wanted.y, wanted.z), number);
    }
    let id = ids_of[chosen];
    tensorStore(history, next % tensorWidth(history), 0u, vec4<u32>(id, atomicLoad(&not_finite), 0u, 0u));
    tensorStore(next_id, 0u, vec4<u32>(id, 0u, 0u, 0u));
    tensorStore(run, 0u, vec4<u32>(now.x, next, now.z, now.w));
  }
}
