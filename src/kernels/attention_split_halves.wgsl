// Attention of few queries over a KV cache in f16, first half, for devices with subgroups: as attention_split, a
// workgroup takes `rows` rows of queries of one KV head and one part of the positions (attention_parts), or all of them
// and stores the result at once (`whole`).
//
// `team` neighbouring invocations share a position: each loads eight channels of its key and value at once, and keeps
// the same channels of the queries and of the sums in registers. They work on `steps` positions at a time, whose keys
// and values come from memory while earlier ones are computed with. Teams share nothing until the end: each has maxima
// and totals of its own, and there is one barrier in all.
//
// Products of the channels are added by shuffles that halve their number at each turn: in the end an invocation has the
// score of one row at one position, makes a weight of it, and the others of the team fetch that as they need it.
import package::attention_parts::{block, part_begin, parts_of_run};
import package::head_rows::{key_count, load_query, place_in, query_count, seen_from, seen_to, slices, softcap};
import package::kv_cache::{cache_place, cache_places};

@tensor var<read> q: tensor<f32>;       // shapes of q and y: head_rows
@tensor var<write> parts: tensor<f32>;  // attention_parts
@tensor var<write> y: tensor<f32>;      // where `whole`
var<storage, read> k_units: array<vec4<u32>>;  // the caches, eight f16 an element
var<storage, read> v_units: array<vec4<u32>>;

override whole: bool = false;
override lanes: u32;
override rows: u32;
override row_places: u32;  // rows, up to a power of two
override team: u32;        // units of a row of the cache, up to a power of two
override steps: u32;       // a power of two; row_places * steps is at most `team`
override scale: f32;       // times log2(e); over the softcap where there is one

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

const units = slices / 2u;
const teams = lanes / team;
const scores_of_team = row_places * steps;
const copies = team / scores_of_team;  // invocations that have the same score
const masked = -3.0e38;
const_assert block == teams * steps;

alias Units = array<vec4<u32>, steps>;

@uninitialized var<workgroup> shared_sums: array<vec4f, teams * rows * slices>;
@uninitialized var<workgroup> largest_of: array<f32, teams * rows>;
@uninitialized var<workgroup> totals: array<f32, teams * rows>;

// Where a unit of step i of a block is in the caches; positions past the last are the last.
fn place_of(head: u32, start: u32, i: u32, end: u32, own_team: u32, unit: u32) -> u32 {
  return (head * cache_places + cache_place(min(start + i * teams + own_team, end - 1u))) * units + unit;
}

fn low_half(unit: vec4<u32>) -> vec4f {
  return vec4f(unpack2x16float(unit.x), unpack2x16float(unit.y));
}

fn high_half(unit: vec4<u32>) -> vec4f {
  return vec4f(unpack2x16float(unit.z), unpack2x16float(unit.w));
}

fn product(a: vec4f, b: vec4f, sum: f32) -> f32 {
  return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, sum))));
}

@compute @workgroup_size(lanes)
fn attention_split_halves(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u,
                          @builtin(subgroup_invocation_id) subgroup_lane: u32) {
  let lane = local.x;
  let first = at.x * rows;
  let head = at.y;
  let run = parts_of_run();
  if (at.z >= run.count) {
    return;
  }
  let context = key_count();
  let last = min(first + rows, query_count(q)) - 1u;
  let begin = part_begin(run, at.z);
  let end = min(part_begin(run, at.z + 1u), seen_to(last, context));
  let own_team = lane / team;
  let team_lane = lane % team;
  let team_begin = subgroup_lane - team_lane;
  let unit = min(team_lane, units - 1u);

  var keys: Units;
  var values: Units;
  @unroll for (var i = 0u; i < steps; i++) {
    keys[i] = k_units[place_of(head, begin, i, end, own_team, unit)];
  }
  @unroll for (var i = 0u; i < steps; i++) {
    values[i] = v_units[place_of(head, begin, i, end, own_team, unit)];
  }
  var low_query: array<vec4f, rows>;
  var high_query: array<vec4f, rows>;
  @unroll for (var r = 0u; r < rows; r++) {
    let row = min(first + r, last);
    let own_scale = select(0.0, scale, team_lane < units);
    low_query[r] = load_query(q, 0u, head, row, 2u * unit) * own_scale;
    high_query[r] = load_query(q, 0u, head, row, 2u * unit + 1u) * own_scale;
  }

  // The score that this invocation comes to have, of each block.
  let own_row = team_lane / copies % row_places;
  let own_step = team_lane / copies / row_places;
  let row = min(first + own_row, last);
  let row_begin = seen_from(row);
  let row_end = min(end, seen_to(row, context));

  var low_sums: array<vec4f, rows>;
  var high_sums: array<vec4f, rows>;
  var largest = masked;
  var total = 0.0;
  for (var start = begin; start < end; start += block) {
    var scores: array<f32, scores_of_team>;
    @unroll for (var i = 0u; i < steps; i++) {
      let low = low_half(keys[i]);
      let high = high_half(keys[i]);
      @unroll for (var r = 0u; r < rows; r++) {
        scores[i * row_places + r] = product(high_query[r], high, product(low_query[r], low, 0.0));
      }
    }
    if (start + block < end) {
      @unroll for (var i = 0u; i < steps; i++) {
        keys[i] = k_units[place_of(head, start + block, i, end, own_team, unit)];
      }
    }
    @unroll for (var bit = team / 2u; bit > 0u; bit /= 2u) {
      if (scores_of_team * bit >= team) {  // this half of the scores is the invocation's, that half its partner's
        let is_upper = (team_lane & bit) != 0u;
        @unroll for (var i = 0u; i < scores_of_team * bit / team; i++) {
          let low = scores[i];
          let high = scores[i + scores_of_team * bit / team];
          scores[i] = select(low, high, is_upper) + subgroupShuffleXor(select(high, low, is_upper), bit);
        }
      } else {
        scores[0] += subgroupShuffleXor(scores[0], bit);
      }
    }

    var score = scores[0];
    if (softcap > 0.0) {
      score = softcap * tanh(score);
    }
    let position = start + own_step * teams + own_team;
    score = select(masked, score, position >= row_begin && position < row_end);
    var new_largest = max(largest, score);
    @unroll for (var bit = copies * row_places; bit < team; bit *= 2u) {
      new_largest = max(new_largest, subgroupShuffleXor(new_largest, bit));
    }
    let weight = select(0.0, exp2(score - new_largest), score > masked);
    let factor = exp2(largest - new_largest);
    total = fma(total, factor, weight);
    largest = new_largest;

    var factors: array<f32, rows>;
    var least = 1.0;
    @unroll for (var r = 0u; r < rows; r++) {
      factors[r] = subgroupShuffle(factor, team_begin + r * copies);
      least = min(least, factors[r]);
    }
    if (least < 1.0) {
      @unroll for (var r = 0u; r < rows; r++) {
        low_sums[r] *= factors[r];
        high_sums[r] *= factors[r];
      }
    }
    @unroll for (var i = 0u; i < steps; i++) {
      let low = low_half(values[i]);
      let high = high_half(values[i]);
      @unroll for (var r = 0u; r < rows; r++) {
        let of_row = subgroupShuffle(weight, team_begin + (i * row_places + r) * copies);
        low_sums[r] = fma(vec4f(of_row), low, low_sums[r]);
        high_sums[r] = fma(vec4f(of_row), high, high_sums[r]);
      }
    }
    if (start + block < end) {
      @unroll for (var i = 0u; i < steps; i++) {
        values[i] = v_units[place_of(head, start + block, i, end, own_team, unit)];
      }
    }
  }

  @unroll for (var bit = copies * row_places; bit < team; bit *= 2u) {
    total += subgroupShuffleXor(total, bit);
  }
  if (team_lane < units) {
    @unroll for (var r = 0u; r < rows; r++) {
      shared_sums[(own_team * rows + r) * slices + 2u * unit] = low_sums[r];
      shared_sums[(own_team * rows + r) * slices + 2u * unit + 1u] = high_sums[r];
    }
  }
  if (own_step == 0u && team_lane % copies == 0u && own_row < rows) {
    largest_of[own_team * rows + own_row] = largest;
    totals[own_team * rows + own_row] = total;
  }
  workgroupBarrier();
  for (var i = lane; i < rows * slices; i += lanes) {
    let r = i / slices;
    let s = i % slices;
    var largest_of_all = largest_of[r];
    for (var n = 1u; n < teams; n++) {
      largest_of_all = max(largest_of_all, largest_of[n * rows + r]);
    }
    var sum = vec4f();
    var sum_of_weights = 0.0;
    for (var n = 0u; n < teams; n++) {
      let weight = exp2(largest_of[n * rows + r] - largest_of_all);
      sum = fma(vec4f(weight), shared_sums[(n * rows + r) * slices + s], sum);
      sum_of_weights = fma(weight, totals[n * rows + r], sum_of_weights);
    }
    if (first + r <= last) {
      if (whole) {
        let to = place_in(y, head, first + r, s);
        tensorStore(y, to.y, to.z, epilogue(sum / sum_of_weights, 0u, 0u, to.y, to.z));
      } else {
        tensorStore(parts, at.z, head, first + r, s, sum);
        if (s == 0u) {
          tensorStore(parts, at.z, head, first + r, slices, vec4f(largest_of_all, sum_of_weights, 0.0, 0.0));
        }
      }
    }
  }
}
