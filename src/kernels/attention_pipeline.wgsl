// softmax(scale q K^T + mask) V by products of a workgroup (docs/kernel-language.md), over a KV cache or without one
// (head_rows): flash attention as attention_matrix, but what a product gives stays in registers, where it is scored,
// scaled and becomes the next product's left factor. Keys and values come as tiles (key_tiles), which one invocation
// copies through `stages` stages of workgroup memory.
//
// Each 128 of the invocations that multiply take 64 rows of queries of one head; all of a workgroup share the tiles.
// Values of more channels than registers can sum are divided: `parts` times 128 invocations take the same 64 rows, and
// each a part of the channels.
//
// The left factor of queries lies in registers, or where heads are large in workgroup memory.
import package::head_rows::{
  cached, capped, causal, key_count, load_query, place_in, query_count, seen_from, seen_to, slices
};
import package::key_tiles::{depth, first_tile, key_units, keys, part_channels, parts, tile_units, tiles_at,
                            value_channels, values_at};

@tensor var<read> q: tensor<f32>;  // shapes of q and y: head_rows
@tensor var<write> y: tensor<f32>;
var<storage, read> packed: array<vec4<u32>>;

override scale: f32;   // times log2(e): the exponentials are powers of two; over the softcap where there is one
override teams: u32;   // of 128 invocations that multiply
override stages: u32;  // at least 2
override query_in_memory: bool;
// Whether filling and multiplying are loops of their own, which only a device's own pipeline can do: what it is lowered
// to has barriers.
override separate: bool = false;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

const multiplying = 128u * teams;
const invocations = multiplying + 128u;  // and 128 of which the first fills
const queries = teams / parts * 64u;
const_assert teams % parts == 0u;
const registers = select(240u, 160u, teams > 2u);
// Over a cache queries are scaled before they become halves, which keeps them within their range; else scores are,
// relative to the largest.
const score_scale = select(scale, 1.0, cached);
const masked = -1.0e30;
const lag = 8.0 / score_scale;

alias Sums = array<f32, part_channels / 2u>;
alias Scores = array<f32, keys / 2u>;
alias Fragment = array<vec4<u32>, min(depth, 8u)>;

var<workgroup> ring: array<vec2<u32>, 2u * stages>;
var<workgroup> tile_memory: array<vec4<u32>, stages * tile_units>;
@uninitialized var<workgroup> query_tile: array<vec4<u32>, key_units * queries>;

// Four channels of a query.
fn query_values(b: u32, head: u32, row: u32, s: u32) -> vec4f {
  if (s >= slices) {
    return vec4f();
  }
  let value = load_query(q, b, head, row, s);
  if (cached) {
    return clamp(value * scale, vec4f(-65504.0), vec4f(65504.0));
  }
  return value;
}

fn query_pair(b: u32, head: u32, row: u32, s: u32, second: bool) -> u32 {
  let value = query_values(b, head, row, s);
  return pack2x16float(select(value.xy, value.zw, vec2<bool>(second)));
}

fn query_slice(b: u32, head: u32, row: u32, s: u32) -> vec2<u32> {
  let value = query_values(b, head, row, s);
  return vec2<u32>(pack2x16float(value.xy), pack2x16float(value.zw));
}

// Over the four invocations that share a row.
fn row_max(value: f32) -> f32 {
  let other = max(value, subgroupShuffleXor(value, 1u));
  return max(other, subgroupShuffleXor(other, 2u));
}

fn row_sum(value: f32) -> f32 {
  let other = value + subgroupShuffleXor(value, 1u);
  return other + subgroupShuffleXor(other, 2u);
}

// Of a product's sums an invocation has those of two rows, in pairs of columns.
struct Rows {
  low: u32,
  high: u32,
  // Keys that all queries of the workgroup see: nothing is masked there.
  common_begin: u32,
  common_end: u32,
  key_end: u32,
}

struct Running {
  largest: vec2f,  // of rows low and high; it lags behind
  total: vec2f,    // of an invocation's own columns
}

fn score_keys(scores: ptr<function, Scores>, query: ptr<function, Fragment>, at: u32, t: u32) {
  if (query_in_memory) {
    let row = t / (128u * parts) * 64u;
    @unroll for (var d = 0u; d + 8u <= depth; d += 8u) {
      workgroupMatrixMultiplyAccumulate(scores, &query_tile, 2u * d * queries + row, queries, &tile_memory,
                                        at + 2u * d * keys, keys, 8u);
    }
    if (depth % 8u != 0u) {
      const done = depth / 8u * 16u;
      workgroupMatrixMultiplyAccumulate(scores, &query_tile, done * queries + row, queries, &tile_memory,
                                        at + done * keys, keys, max(depth % 8u, 1u));
    }
  } else {
    workgroupMatrixMultiplyAccumulate(scores, query, &tile_memory, at, keys);
  }
  workgroupMatrixWait(scores);
}

// Adds the keys from `start`, whose tile lies at `at`.
fn attend(sums: ptr<function, Sums>, running: ptr<function, Running>, query: ptr<function, Fragment>, rows: Rows,
          start: u32, at: u32, is_first: bool, t: u32) {
  var scores: Scores;
  score_keys(&scores, query, at, t);

  var score: array<vec4f, keys / 8u>;
  @unroll for (var j = 0u; j < keys / 8u; j++) {
    score[j] = capped(vec4f(scores[4u * j], scores[4u * j + 1u], scores[4u * j + 2u], scores[4u * j + 3u]));
  }
  if (start < rows.common_begin || start + keys > rows.common_end) {
    let seen_begin = vec4u(vec2u(seen_from(rows.low)), vec2u(seen_from(rows.high)));
    let seen_end = vec4u(vec2u(seen_to(rows.low, rows.key_end)), vec2u(seen_to(rows.high, rows.key_end)));
    @unroll for (var j = 0u; j < keys / 8u; j++) {
      let place = vec4u(start + 8u * j + 2u * (t % 4u)) + vec4u(0u, 1u, 0u, 1u);
      score[j] = select(vec4f(masked), score[j], (place >= seen_begin) & (place < seen_end));
    }
  }
  var tile_largest = vec2f(masked);
  @unroll for (var j = 0u; j < keys / 8u; j++) {
    tile_largest = max(tile_largest, max(score[j].xz, score[j].yw));
  }
  tile_largest = vec2f(row_max(tile_largest.x), row_max(tile_largest.y));
  // Weights are relative to a maximum that lags behind: those of up to 256 are as exact in f16 as those of up to 1.
  var largest = (*running).largest;
  var factor = vec2f(1.0);
  if (is_first) {
    largest = tile_largest;
  } else {
    let is_new = tile_largest > largest + lag;
    factor = select(factor, exp2((largest - tile_largest) * score_scale), is_new);
    largest = select(largest, tile_largest, is_new);
  }
  (*running).largest = largest;
  if (factor.x != 1.0 || factor.y != 1.0) {
    (*running).total *= factor;
    @unroll for (var j = 0u; j < part_channels / 8u; j++) {
      (*sums)[4u * j] *= factor.x;
      (*sums)[4u * j + 1u] *= factor.x;
      (*sums)[4u * j + 2u] *= factor.y;
      (*sums)[4u * j + 3u] *= factor.y;
    }
  }
  // Where a row has seen no key yet, all weights are 0.
  let offset = select(largest * -score_scale, vec2f(), largest <= vec2f(masked)).xxyy;
  var weights: array<vec4<u32>, keys / 16u>;
  var total = (*running).total;
  @unroll for (var j = 0u; j < keys / 16u; j++) {
    let a = exp2(fma(score[2u * j], vec4f(score_scale), offset));
    let b = exp2(fma(score[2u * j + 1u], vec4f(score_scale), offset));
    total += (a.xz + a.yw) + (b.xz + b.yw);
    weights[j] = vec4<u32>(pack2x16float(a.xy), pack2x16float(a.zw), pack2x16float(b.xy), pack2x16float(b.zw));
  }
  (*running).total = total;
  let part = t / 128u % parts;
  workgroupMatrixMultiplyAccumulate(sums, &weights, &tile_memory, at + values_at + part * part_channels,
                                    value_channels);
  workgroupMatrixWait(sums);
}

// Neighbours exchange pairs, so that each has whole slices, of one of the two rows.
fn store(sums: ptr<function, Sums>, running: ptr<function, Running>, rows: Rows, b: u32, head: u32, last: u32, t: u32) {
  let is_odd = t % 2u == 1u;
  let inverse = vec2f(1.0 / row_sum((*running).total.x), 1.0 / row_sum((*running).total.y));
  let row = select(rows.low, rows.high, is_odd);
  let first = t / 128u % parts * (part_channels / 4u) + t % 4u / 2u;
  @unroll for (var j = 0u; j < part_channels / 8u; j++) {
    let of_low = vec2f((*sums)[4u * j], (*sums)[4u * j + 1u]) * inverse.x;
    let of_high = vec2f((*sums)[4u * j + 2u], (*sums)[4u * j + 3u]) * inverse.y;
    let own = select(of_low, of_high, vec2<bool>(is_odd));
    let given = select(of_high, of_low, vec2<bool>(is_odd));
    let got = vec2f(subgroupShuffleXor(given.x, 1u), subgroupShuffleXor(given.y, 1u));
    let s = first + 2u * j;
    if (row <= last && s < slices) {
      let to = place_in(y, head, row, s);
      let value = select(vec4f(own, got), vec4f(got, own), vec4<bool>(is_odd));
      tensorStore(y, b, to.x, to.y, to.z, epilogue(value, b, to.x, to.y, to.z));
    }
  }
}

// Starts the copy of the workgroup's tile number `turn`. Called by one invocation.
fn fill(tiles_begin: u32, turn: u32) {
  let stage = turn % stages;
  stageOpen(&ring, stage, turn / stages, 16u * tile_units);
  stageCopy(&ring, stage, &tile_memory, stage * tile_units, &packed, tiles_begin + turn * tile_units, tile_units);
}

@compute @workgroup_size(invocations)
fn attention_pipeline(@builtin(workgroup_id) at: vec3u, @builtin(num_workgroups) groups: vec3u,
                      @builtin(local_invocation_index) t: u32) {
  let head = at.y;
  let b = at.z;
  let key_end = key_count();
  let query_end = query_count(q);
  var first = at.x * queries;
  if (causal) {  // the longest first, so that the device is not left waiting for it
    first = (query_end - 1u) / queries * queries - first;
  }
  let last = min(first + queries, query_end) - 1u;
  let first_key = seen_from(first) / keys * keys;
  let count = (seen_to(last, key_end) - first_key + keys - 1u) / keys;
  let tiles_begin = tiles_at(b, head, groups.y) + (first_key / keys - first_tile()) * tile_units;

  stagesStart(&ring, select(invocations, multiplying, separate));
  if (query_in_memory) {
    for (var i = t; i < queries * key_units; i += invocations) {
      let row = min(first + i / key_units, last);
      let s = i % key_units * 2u;
      query_tile[i % key_units * queries + i / key_units] =
          vec4<u32>(query_slice(b, head, row, s), query_slice(b, head, row, s + 1u));
    }
    workgroupBarrier();
  }
  if (separate && t >= multiplying) {
    workgroupRegisters(24u);
    if (t == multiplying) {
      for (var turn = 0u; turn < count; turn++) {
        fill(tiles_begin, turn);
      }
    }
  } else {
    if (separate) {
      workgroupRegisters(registers);
    }
    let low = first + t / (128u * parts) * 64u + t % 128u / 32u * 16u + t % 32u / 4u;
    let rows = Rows(low, low + 8u, seen_from(last), seen_to(first, key_end), key_end);
    var query: Fragment;
    if (!query_in_memory) {
      @unroll for (var d = 0u; d < min(depth, 8u); d++) {
        let s = 4u * d + t % 4u / 2u;
        let is_second = t % 2u == 1u;
        let row = vec2u(min(low, last), min(low + 8u, last));
        query[d] = vec4<u32>(query_pair(b, head, row.x, s, is_second), query_pair(b, head, row.y, s, is_second),
                             query_pair(b, head, row.x, s + 2u, is_second),
                             query_pair(b, head, row.y, s + 2u, is_second));
      }
    }
    var sums: Sums;
    var running: Running;
    for (var turn = 0u; turn < count; turn++) {
      let stage = turn % stages;
      if (!separate && t == multiplying) {
        fill(tiles_begin, turn);
      }
      stageWait(&ring, stage, turn / stages);
      if (separate || t < multiplying) {
        attend(&sums, &running, &query, rows, first_key + turn * keys, stage * tile_units, turn == 0u, t);
      }
      stageRelease(&ring, stage);
    }
    if (separate || t < multiplying) {
      store(&sums, &running, rows, b, head, last, t);
    }
  }
}
