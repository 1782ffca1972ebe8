// The `count` best of the entries that the invocations of a workgroup hold, `held` each: those of the largest values,
// of equal values those of the smaller ids, which all differ.
//
// The count-th best of what is best of each invocation is a bound: what is wanted is at least as good, and only `count`
// invocations have such entries. These are few, and each is placed by how many are better.
override lanes: u32;
override held: u32;
override count: u32;

alias Values = array<f32, held>;
alias Ids = array<u32, held>;

const_assert count <= lanes;

var<workgroup> best_values: array<f32, lanes>;
var<workgroup> best_ids: array<u32, lanes>;
var<workgroup> bound_value: f32;
var<workgroup> bound_id: u32;
var<workgroup> taken: atomic<u32>;
var<workgroup> taken_values: array<f32, count * held>;
var<workgroup> taken_ids: array<u32, count * held>;

fn is_better(value: f32, id: u32, other_value: f32, other_id: u32) -> bool {
  return value > other_value || (value == other_value && id < other_id);
}

// To be called by all invocations. Afterwards taken_count() entries are known, whose places are place_of(i).
fn take_best(lane: u32, values: ptr<function, Values>, ids: ptr<function, Ids>) {
  if (lane == 0u) {
    atomicStore(&taken, 0u);
  }
  var value = (*values)[0];
  var id = (*ids)[0];
  @unroll for (var i = 1u; i < held; i++) {
    if (is_better((*values)[i], (*ids)[i], value, id)) {
      value = (*values)[i];
      id = (*ids)[i];
    }
  }
  best_values[lane] = value;
  best_ids[lane] = id;
  workgroupBarrier();
  var better = 0u;
  for (var other = 0u; other < lanes; other++) {
    if (best_values[other] > value || (best_values[other] == value && best_ids[other] < id)) {
      better += 1u;
    }
  }
  if (better == count - 1u) {
    bound_value = value;
    bound_id = id;
  }
  workgroupBarrier();
  let least_value = bound_value;
  let least_id = bound_id;
  @unroll for (var i = 0u; i < held; i++) {
    if (!is_better(least_value, least_id, (*values)[i], (*ids)[i])) {
      let at = atomicAdd(&taken, 1u);
      taken_values[at] = (*values)[i];
      taken_ids[at] = (*ids)[i];
    }
  }
  workgroupBarrier();
}

fn taken_count() -> u32 {
  return atomicLoad(&taken);
}

// How many are better than entry i of those taken: `count` or more for entries that are not wanted.
fn place_of(i: u32) -> u32 {
  let value = taken_values[i];
  let id = taken_ids[i];
  let all = taken_count();
  var better = 0u;
  for (var other = 0u; other < all; other++) {
    if (taken_values[other] > value || (taken_values[other] == value && taken_ids[other] < id)) {
      better += 1u;
    }
  }
  return better;
}
