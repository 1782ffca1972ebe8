// Attention of few queries over a KV cache, for devices with many narrow lanes, first half: a workgroup takes `rows`
// rows of queries of one KV head, so that keys and values are read once for all of them, and one part of the positions
// (attention_parts, which also says what it leaves for attention_combine).
//
// A part is taken in blocks of `block` positions with the running maximum and sum kept. Four invocations share the
// channels of a key, `shares` the positions of a block for one slice of the values; both are loaded before anything is
// computed, so that a block waits for memory once.
import package::attention_parts::{block, part_begin, parts_of_run};
import package::head_rows::{key_count, load_key, load_query, load_value, query_count, seen_from, seen_to, slices, softcap};

@tensor var<read> q: tensor<f32>;  // shapes of q, keys and values: head_rows
@tensor var<write> parts: tensor<f32>;  // attention_parts

override lanes: u32;
override rows: u32;
override scale: f32;  // times log2(e); over the softcap where there is one

const key_lanes = 4u;
const turns = block * key_lanes / lanes;                // keys of a block that an invocation has a share of
const key_slices = (slices + key_lanes - 1u) / key_lanes;
const shares = min(lanes / slices, block);
const value_turns = (block + shares - 1u) / shares;     // values of a block that an invocation takes
const rounds = (rows * block + lanes - 1u) / lanes;     // scores of a block that an invocation weighs
const pitch = rows * block + 8u;                        // shares of a score lie on different banks
const masked = -3.0e38;

@uninitialized var<workgroup> queries: array<vec4f, rows * slices>;
@uninitialized var<workgroup> products: array<f32, key_lanes * pitch>;
@uninitialized var<workgroup> scores: array<f32, rows * block>;
@uninitialized var<workgroup> weights: array<f32, rows * block>;
@uninitialized var<workgroup> factors: array<f32, rows>;
@uninitialized var<workgroup> largest_of: array<f32, rows>;
@uninitialized var<workgroup> totals: array<f32, rows * shares>;
@uninitialized var<workgroup> shared_sums: array<vec4f, rows * shares * slices>;

@compute @workgroup_size(lanes)
fn attention_split(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let lane = local.x;
  let first = at.x * rows;
  let head = at.y;
  let run = parts_of_run();
  if (at.z >= run.count) {
    return;
  }
  let context = key_count();
  let row_end = query_count(q);
  let last = min(first + rows, row_end) - 1u;
  let begin = part_begin(run, at.z);
  let end = min(part_begin(run, at.z + 1u), seen_to(last, context));
  let common_begin = seen_from(last);  // what all rows see: nothing is masked there
  let common_end = min(end, seen_to(first, context));

  for (var i = lane; i < rows * slices; i += lanes) {
    queries[i] = load_query(q, 0u, head, min(first + i / slices, last), i % slices) * scale;
  }
  workgroupBarrier();

  let key_lane = lane % key_lanes;
  let slice = lane % slices;
  let share = lane / slices;  // over the last: none
  var sums: array<vec4f, rows>;
  var total: array<f32, rows>;
  var largest: array<f32, rounds>;  // of the rows whose scores this invocation weighs
  @unroll for (var n = 0u; n < rounds; n++) {
    largest[n] = masked;
  }
  for (var start = begin; start < end; start += block) {
    var keys: array<vec4f, turns * key_slices>;
    var values: array<vec4f, value_turns>;
    @unroll for (var n = 0u; n < turns; n++) {
      let position = min(start + (lane + n * lanes) / key_lanes, end - 1u);
      @unroll for (var i = 0u; i < key_slices; i++) {
        let s = key_lane + i * key_lanes;
        if (slices % key_lanes == 0u || s < slices) {
          keys[n * key_slices + i] = load_key(0u, head, position, s);
        }
      }
    }
    if (share < shares) {
      @unroll for (var n = 0u; n < value_turns; n++) {
        values[n] = load_value(0u, head, min(start + share + n * shares, end - 1u), slice);
      }
    }

    @unroll for (var n = 0u; n < turns; n++) {
      var terms: array<vec4f, rows>;
      @unroll for (var i = 0u; i < key_slices; i++) {
        let s = min(key_lane + i * key_lanes, slices - 1u);
        @unroll for (var r = 0u; r < rows; r++) {
          terms[r] = fma(queries[r * slices + s], keys[n * key_slices + i], terms[r]);
        }
      }
      @unroll for (var r = 0u; r < rows; r++) {
        products[key_lane * pitch + r * block + (lane + n * lanes) / key_lanes] =
            (terms[r].x + terms[r].y) + (terms[r].z + terms[r].w);
      }
    }
    workgroupBarrier();
    for (var i = lane; i < rows * block; i += lanes) {
      var score = 0.0;
      @unroll for (var n = 0u; n < key_lanes; n++) {
        score += products[n * pitch + i];
      }
      if (softcap > 0.0) {
        score = softcap * tanh(score);
      }
      let position = start + i % block;
      if (position >= end) {
        score = masked;
      } else if (position < common_begin || position >= common_end) {
        let row = first + i / block;
        score = select(masked, score, position >= seen_from(row) && position < seen_to(row, context));
      }
      scores[i] = score;
    }
    workgroupBarrier();
    @unroll for (var n = 0u; n < rounds; n++) {
      let i = lane + n * lanes;
      if (i < rows * block) {
        let row = i / block;
        var new_largest = largest[n];
        for (var j = 0u; j < block; j++) {
          new_largest = max(new_largest, scores[row * block + j]);
        }
        let score = scores[i];
        weights[i] = select(0.0, exp2(score - new_largest), score > masked);
        if (i % block == 0u) {
          factors[row] = exp2(largest[n] - new_largest);
        }
        largest[n] = new_largest;
      }
    }
    workgroupBarrier();
    if (share < shares) {
      @unroll for (var r = 0u; r < rows; r++) {
        sums[r] *= factors[r];
        total[r] *= factors[r];
      }
      @unroll for (var n = 0u; n < value_turns; n++) {
        let j = share + n * shares;
        if (block % shares == 0u || j < block) {
          @unroll for (var r = 0u; r < rows; r++) {
            let weight = weights[r * block + j];
            sums[r] = fma(vec4f(weight), values[n], sums[r]);
            total[r] += weight;
          }
        }
      }
    }
  }

  @unroll for (var n = 0u; n < rounds; n++) {
    let i = lane + n * lanes;
    if (i < rows * block && i % block == 0u) {
      largest_of[i / block] = largest[n];
    }
  }
  if (share < shares) {
    @unroll for (var r = 0u; r < rows; r++) {
      shared_sums[(r * shares + share) * slices + slice] = sums[r];
      if (slice == 0u) {
        totals[r * shares + share] = total[r];
      }
    }
  }
  workgroupBarrier();
  for (var i = lane; i < rows * slices; i += lanes) {
    let row = i / slices;
    if (first + row <= last) {
      var sum = shared_sums[row * shares * slices + i % slices];
      for (var n = 1u; n < shares; n++) {
        sum += shared_sums[(row * shares + n) * slices + i % slices];
      }
      tensorStore(parts, at.z, head, first + row, i % slices, sum);
    }
  }
  for (var row = lane; row <= last - first; row += lanes) {
    var sum = 0.0;
    for (var n = 0u; n < shares; n++) {
      sum += totals[row * shares + n];
    }
    tensorStore(parts, at.z, head, first + row, slices, vec4f(largest_of[row], sum, 0.0, 0.0));
  }
}
