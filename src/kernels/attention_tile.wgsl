// softmax(scale q K^T + mask) V without the scores in memory, for devices with many narrow lanes (flash attention, Dao
// et al., 2022, in f32 arithmetic), over a KV cache or without one (head_rows). A workgroup takes 4 * groups queries of
// one head, and the keys that they see in tiles of 4 * columns with the running maximum and sum kept.
//
// Invocation (column, group) holds 4 x 4 scores of a tile, of queries group + i * groups and keys column + j * columns,
// then `rounds` slices of the sums of the same queries. What it multiplies comes through workgroup memory: `part`
// slices of the queries and keys at a time, then `values` rows of V. Rows of an odd number of vec4 put neighbouring
// rows into different banks.
import package::head_rows::{capped, key_count, load_key, load_query, load_value, place_in, query_count, seen_from, seen_to, slices};

@tensor var<read> q: tensor<f32>;  // shapes of q, keys, values and y: head_rows
@tensor var<write> y: tensor<f32>;

override scale: f32;    // times log2(e): the exponentials are powers of two; over the softcap where there is one
override columns: u32;
override groups: u32;
override part: u32;
override values: u32;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

const lanes = columns * groups;
const queries = 4u * groups;
const keys = 4u * columns;
const rounds = (slices + columns - 1u) / columns;
const stride = part | 1u;
const masked = -3.0e38;

var<workgroup> query_part: array<vec4f, queries * stride>;
var<workgroup> loaded: array<vec4f, max(keys * stride, values * slices)>;
var<workgroup> weights: array<vec4f, keys * (groups + 1u)>;  // of four queries, by key and group
var<workgroup> of_rows: array<vec4f, lanes>;                 // what the columns of a group tell each other

fn add_scores(score: vec4f, row: vec4f, k0: vec4f, k1: vec4f, k2: vec4f, k3: vec4f) -> vec4f {
  var sum = fma(vec4f(row.x), vec4f(k0.x, k1.x, k2.x, k3.x), score);
  sum = fma(vec4f(row.y), vec4f(k0.y, k1.y, k2.y, k3.y), sum);
  sum = fma(vec4f(row.z), vec4f(k0.z, k1.z, k2.z, k3.z), sum);
  return fma(vec4f(row.w), vec4f(k0.w, k1.w, k2.w, k3.w), sum);
}

fn largest_of(v: vec4f) -> f32 {
  return max(max(v.x, v.y), max(v.z, v.w));
}

@compute @workgroup_size(columns, groups)
fn attention_tile(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let column = local.x;
  let group = local.y;
  let lane = group * columns + column;
  let first = at.x * queries;
  let head = at.y;
  let b = at.z;
  let key_end = key_count();
  let query_end = query_count(q);
  let last = min(first + queries, query_end) - 1u;
  let begin = seen_from(first);
  let end = seen_to(last, key_end);
  // What all queries see: nothing is masked there.
  let common_begin = seen_from(last);
  let common_end = seen_to(first, key_end);

  var sums: array<vec4f, 4u * rounds>;
  var largest = vec4f(masked);
  var total = vec4f();  // of this invocation's keys
  for (var start = begin; start < end; start += keys) {
    var scores: array<vec4f, 4>;
    for (var slice = 0u; slice < slices; slice += part) {
      workgroupBarrier();
      for (var i = lane; i < keys * part; i += lanes) {
        let s = slice + i % part;
        let place = min(start + i / part, key_end - 1u);
        var value = vec4f();
        if (s < slices) {
          value = load_key(b, head, place, s);
        }
        loaded[i / part * stride + i % part] = value;
      }
      if (part < slices || start == begin) {
        for (var i = lane; i < queries * part; i += lanes) {
          let s = slice + i % part;
          let place = min(first + i / part, query_end - 1u);
          var value = vec4f();
          if (s < slices) {
            value = load_query(q, b, head, place, s) * scale;
          }
          query_part[i / part * stride + i % part] = value;
        }
      }
      workgroupBarrier();
      for (var s = 0u; s < part; s++) {
        let k0 = loaded[column * stride + s];
        let k1 = loaded[(column + columns) * stride + s];
        let k2 = loaded[(column + 2u * columns) * stride + s];
        let k3 = loaded[(column + 3u * columns) * stride + s];
        @unroll for (var i = 0u; i < 4u; i++) {
          scores[i] = add_scores(scores[i], query_part[(group + i * groups) * stride + s], k0, k1, k2, k3);
        }
      }
    }

    @unroll for (var i = 0u; i < 4u; i++) {
      scores[i] = capped(scores[i]);
    }
    if (start < common_begin || start + keys > common_end) {
      let places = vec4u(start + column) + vec4u(0u, columns, 2u * columns, 3u * columns);
      @unroll for (var i = 0u; i < 4u; i++) {
        let row = first + group + i * groups;
        let is_seen = places < vec4u(seen_to(row, key_end));
        scores[i] = select(vec4f(masked), scores[i], is_seen & (places >= vec4u(seen_from(row))));
      }
    }
    of_rows[lane] = vec4f(largest_of(scores[0]), largest_of(scores[1]), largest_of(scores[2]), largest_of(scores[3]));
    workgroupBarrier();
    var new_largest = largest;
    for (var i = 0u; i < columns; i++) {
      new_largest = max(new_largest, of_rows[group * columns + i]);
    }
    let correction = exp2(largest - new_largest);
    largest = new_largest;
    total *= correction;
    @unroll for (var i = 0u; i < 4u; i++) {
      scores[i] = exp2(scores[i] - largest[i]);
      total[i] += (scores[i].x + scores[i].y) + (scores[i].z + scores[i].w);
      @unroll for (var r = 0u; r < rounds; r++) {
        sums[i * rounds + r] *= correction[i];
      }
    }
    @unroll for (var j = 0u; j < 4u; j++) {
      weights[(column + j * columns) * (groups + 1u) + group] =
          vec4f(scores[0][j], scores[1][j], scores[2][j], scores[3][j]);
    }

    let count = min(keys, end - start);
    for (var first_value = 0u; first_value < count; first_value += values) {
      if (first_value > 0u) {
        workgroupBarrier();
      }
      let rows = min(values, count - first_value);
      for (var i = lane; i < rows * slices; i += lanes) {
        let place = start + first_value + i / slices;
        loaded[i] = load_value(b, head, place, i % slices);
      }
      workgroupBarrier();
      for (var j = 0u; j < rows; j++) {
        let weight = weights[(first_value + j) * (groups + 1u) + group];
        @unroll for (var r = 0u; r < rounds; r++) {
          let value = loaded[j * slices + min(column + r * columns, slices - 1u)];
          @unroll for (var i = 0u; i < 4u; i++) {
            sums[i * rounds + r] = fma(vec4f(weight[i]), value, sums[i * rounds + r]);
          }
        }
      }
    }
  }

  of_rows[lane] = total;
  workgroupBarrier();
  total = vec4f();
  for (var i = 0u; i < columns; i++) {
    total += of_rows[group * columns + i];
  }
  @unroll for (var i = 0u; i < 4u; i++) {
    let place = first + group + i * groups;
    if (place < query_end) {
      @unroll for (var r = 0u; r < rounds; r++) {
        let s = column + r * columns;
        if (s < slices) {
          let to = place_in(y, head, place, s);
          let value = sums[i * rounds + r] / total[i];
          tensorStore(y, b, to.x, to.y, to.z, epilogue(value, b, to.x, to.y, to.z));
        }
      }
    }
  }
}
