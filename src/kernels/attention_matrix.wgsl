// softmax(scale q K^T + mask) V on matrix units, over a KV cache or without one (head_rows): flash attention (Dao et al.,
// 2022) with sums in f32. A workgroup takes 64 queries of one head, 16 a subgroup, and `keys` of the keys that they see
// at a time.
//
// Without a cache everything is in f16. Over one, where queries are stored in f32, they are scaled before they become
// halves, which keeps them within their range.
//
// The queries stay in registers as matrices. Scores go through workgroup memory, where two invocations share a row, and
// come back as weights in f16. What enters next, values of these keys and the keys that follow, is on its way from
// memory meanwhile.
//
// The sums cannot be scaled where they lie. So weights are relative to a maximum that lags behind: only where a row has
// come to exceed it by a factor of 2^8 does it move, which is rare after the first keys, and the sums then go through
// workgroup memory as well. Weights of up to 256 are as exact in f16 as those of up to 1.
import package::head_rows::{
  as_halves, cached, capped, causal, key_count, key_halves, load_query, place_in, query_count, seen_from, seen_to,
  slices, value_halves
};

@tensor var<read> q: tensor<f32>;  // shapes of q, keys, values and y: head_rows
@tensor var<write> y: tensor<f32>;

override scale: f32;  // times log2(e): the exponentials are powers of two; over the softcap where there is one
override keys: u32;   // 16, 32 or 64

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

alias left = subgroup_matrix_left<f16, 16, 16>;
alias right = subgroup_matrix_right<f16, 16, 16>;
alias result = subgroup_matrix_result<f32, 16, 16>;

const invocations = 128u;
const queries = 64u;
const depth = (slices + 3u) / 4u;      // matrices along the channels of a head
const key_matrices = keys / 16u;
const units = (slices + 1u) / 2u;      // of eight f16, in a row of queries, keys or values
const pitch = 2u * depth + 1u;         // rows lie an odd number of units apart, on different banks
const scores_pitch = keys + 8u;        // of f32, and of f16
const moved = (keys * units + invocations - 1u) / invocations;  // units of a tile that an invocation brings
const parts = keys / 8u;               // vec4 of a row that an invocation scores
const masked = -3.0e38;
const lag = 8.0;

const rows = max(2u * keys, queries);
var<workgroup> loaded: array<vec4<u32>, rows * pitch>;  // queries, then keys before values
var<workgroup> scores: array<vec4f, queries * scores_pitch / 4u>;
var<workgroup> weights: array<vec2<u32>, queries * scores_pitch / 4u>;
var<workgroup> factors: array<f32, queries>;
var<workgroup> moves: array<u32, 4>;   // whether a row of the subgroup has a new maximum

// Over a cache queries are scaled, else their scores are.
fn query_halves(b: u32, head: u32, row: u32, s: u32) -> vec2<u32> {
  let value = load_query(q, b, head, row, s);
  if (!cached) {
    return as_halves(value);
  }
  return as_halves(clamp(value * scale, vec4f(-65504.0), vec4f(65504.0)));
}

// Eight channels of a row of a head: of queries, keys or values.
const of_queries = 0u;
const of_keys = 1u;
const of_values = 2u;

fn halves(kind: u32, b: u32, head: u32, row: u32, s: u32) -> vec2<u32> {
  if (kind == of_queries) {
    return query_halves(b, head, row, s);
  }
  if (kind == of_keys) {
    return key_halves(b, head, row, s);
  }
  return value_halves(b, head, row, s);
}

fn unit_of(kind: u32, b: u32, head: u32, row: u32, unit: u32) -> vec4<u32> {
  let s = 2u * unit;
  var high = vec2<u32>();
  if (slices % 2u == 0u || s + 1u < slices) {
    high = halves(kind, b, head, row, s + 1u);
  }
  return vec4<u32>(halves(kind, b, head, row, s), high);
}

// Rows first ... first + keys - 1 of keys or values on their way; rows past the last repeat it.
fn bring(kind: u32, b: u32, head: u32, first: u32, end: u32, t: u32,
         into: ptr<function, array<vec4<u32>, moved>>) {
  @unroll for (var n = 0u; n < moved; n++) {
    let i = t + n * invocations;
    if (i < keys * units) {
      (*into)[n] = unit_of(kind, b, head, min(first + i / units, end - 1u), i % units);
    }
  }
}

fn put(at: u32, t: u32, what: ptr<function, array<vec4<u32>, moved>>) {
  @unroll for (var n = 0u; n < moved; n++) {
    let i = t + n * invocations;
    if (i < keys * units) {
      loaded[at + i / units * pitch + i % units] = (*what)[n];
    }
  }
}

fn largest_of(value: vec4f) -> f32 {
  return max(max(value.x, value.y), max(value.z, value.w));
}

@compute @workgroup_size(invocations)
fn attention_matrix(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_index) t: u32) {
  let head = at.y;
  let b = at.z;
  let key_end = key_count();
  let query_end = query_count(q);
  var first = at.x * queries;
  if (cached && causal) {  // the longest first, so that the device is not left waiting for it
    first = (query_end - 1u) / queries * queries - first;
  }
  let last = min(first + queries, query_end) - 1u;
  let begin = seen_from(first);
  let end = seen_to(last, key_end);
  // What all queries see: nothing is masked there.
  let common_begin = seen_from(last);
  let common_end = seen_to(first, key_end);
  let group = t / 32u;
  let row = t / 2u;   // of the scores, shared with the neighbour
  let half = t % 2u;

  if (units % 2u == 1u) {  // what fills the last matrix of every row
    for (var i = t; i < rows; i += invocations) {
      loaded[i * pitch + units] = vec4<u32>();
    }
  }
  for (var i = t; i < queries * units; i += invocations) {
    loaded[i / units * pitch + i % units] = unit_of(of_queries, b, head, min(first + i / units, query_end - 1u), i % units);
  }
  workgroupBarrier();
  var query: array<left, depth>;
  @unroll for (var d = 0u; d < depth; d++) {
    query[d] = subgroupMatrixLoad<left>(&loaded, group * 16u * pitch * 8u + d * 16u, false, pitch * 8u);
  }
  workgroupBarrier();
  {
    var next: array<vec4<u32>, moved>;
    bring(of_keys, b, head, begin, key_end, t, &next);
    put(0u, t, &next);
  }
  workgroupBarrier();

  var sums: array<result, depth>;
  var largest = masked;
  var total = 0.0;
  for (var start = begin; start < end; start += keys) {
    @unroll for (var j = 0u; j < key_matrices; j++) {
      var score: result;
      @unroll for (var d = 0u; d < depth; d++) {
        let key = subgroupMatrixLoad<right>(&loaded, j * 16u * pitch * 8u + d * 16u, true, pitch * 8u);
        score = subgroupMatrixMultiplyAccumulate(query[d], key, score);
      }
      subgroupMatrixStore(&scores, group * 16u * scores_pitch + j * 16u, score, false, scores_pitch);
    }
    workgroupBarrier();

    var value: array<vec4<u32>, moved>;
    var key: array<vec4<u32>, moved>;
    bring(of_values, b, head, start, key_end, t, &value);
    bring(of_keys, b, head, min(start + keys, key_end), key_end, t, &key);

    var score: array<vec4f, parts>;
    var row_largest = masked;
    @unroll for (var i = 0u; i < parts; i++) {
      score[i] = scores[row * (scores_pitch / 4u) + 2u * i + half];
      if (!cached) {
        score[i] *= scale;
      }
      score[i] = capped(score[i]);
    }
    if (start < common_begin || start + keys > common_end) {
      let seen_begin = seen_from(first + row);
      let seen_end = seen_to(first + row, key_end);
      @unroll for (var i = 0u; i < parts; i++) {
        let place = vec4u(start + 8u * i + 4u * half) + vec4u(0u, 1u, 2u, 3u);
        score[i] = select(vec4f(masked), score[i], (place >= vec4u(seen_begin)) & (place < vec4u(seen_end)));
      }
    }
    @unroll for (var i = 0u; i < parts; i++) {
      row_largest = max(row_largest, largest_of(score[i]));
    }
    row_largest = max(row_largest, subgroupShuffleXor(row_largest, 1u));
    var factor = 1.0;
    if (start == begin) {
      largest = row_largest;
    } else if (row_largest > largest + lag) {
      factor = exp2(largest - row_largest);
      largest = row_largest;
      total *= factor;
    }
    let is_moved = subgroupAny(factor != 1.0);
    if (half == 0u) {
      factors[row] = factor;
    }
    if (t % 32u == 0u) {
      moves[group] = select(0u, 1u, is_moved);
    }
    @unroll for (var i = 0u; i < parts; i++) {
      let weight = exp2(score[i] - largest);
      total += (weight.x + weight.y) + (weight.z + weight.w);
      weights[row * (scores_pitch / 4u) + 2u * i + half] = as_halves(weight);
    }
    put(0u, t, &key);
    put(keys * pitch, t, &value);
    workgroupBarrier();

    if ((moves[0] | moves[1] | moves[2] | moves[3]) != 0u) {
      @unroll for (var part = 0u; part < depth; part += key_matrices) {
        @unroll for (var d = part; d < min(depth, part + key_matrices); d++) {
          subgroupMatrixStore(&scores, group * 16u * scores_pitch + (d - part) * 16u, sums[d], false, scores_pitch);
        }
        workgroupBarrier();
        for (var i = half; i < min(depth - part, key_matrices) * 4u; i += 2u) {
          scores[row * (scores_pitch / 4u) + i] *= factors[row];
        }
        workgroupBarrier();
        @unroll for (var d = part; d < min(depth, part + key_matrices); d++) {
          let place = group * 16u * scores_pitch + (d - part) * 16u;
          sums[d] = subgroupMatrixLoad<result>(&scores, place, false, scores_pitch);
        }
        workgroupBarrier();
      }
    }
    @unroll for (var j = 0u; j < key_matrices; j++) {
      let weight = subgroupMatrixLoad<left>(&weights, group * 16u * scores_pitch + j * 16u, false, scores_pitch);
      @unroll for (var d = 0u; d < depth; d++) {
        let values = subgroupMatrixLoad<right>(&loaded, (keys + j * 16u) * pitch * 8u + d * 16u, false, pitch * 8u);
        sums[d] = subgroupMatrixMultiplyAccumulate(weight, values, sums[d]);
      }
    }
  }

  total += subgroupShuffleXor(total, 1u);
  if (half == 0u) {
    factors[row] = 1.0 / total;
  }
  @unroll for (var part = 0u; part < depth; part += key_matrices) {
    @unroll for (var d = part; d < min(depth, part + key_matrices); d++) {
      subgroupMatrixStore(&scores, group * 16u * scores_pitch + (d - part) * 16u, sums[d], false, scores_pitch);
    }
    workgroupBarrier();
    let count = min(slices - 4u * part, 4u * key_matrices);  // slices of each row
    for (var i = t; i < queries * count; i += invocations) {
      let place = first + i / count;
      if (place < query_end) {
        let to = place_in(y, head, place, 4u * part + i % count);
        let sum = scores[i / count * (scores_pitch / 4u) + i % count] * factors[i / count];
        tensorStore(y, b, to.x, to.y, to.z, epilogue(sum, b, to.x, to.y, to.z));
      }
    }
    workgroupBarrier();
  }
}
