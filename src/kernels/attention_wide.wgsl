// softmax(scale q K^T + mask) V without the scores in memory, for devices whose invocations run on wide registers
// (CPUs), over a KV cache or without one (head_rows): an invocation takes sixteen queries of one head, one in each
// component of a vec16, so that keys and values are numbers that all of them share. Keys are taken in blocks with the
// running maximum and sum kept.
import package::head_rows::{
  causal, key_count, load_key, load_query, load_value, place_in, query_count, seen_from, seen_to, slices, softcap, window
};

@tensor var<read> q: tensor<f32>;  // shapes of q, keys, values and y: head_rows
@tensor var<write> y: tensor<f32>;

override scale: f32;  // times log2(e): the exponentials are powers of two; over the softcap where there is one

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

alias wide = vec16<f32>;
const tile = 16u;
const block = 32u;  // keys between two looks at the maximum
const step = 4u;    // keys at once
const masked = -3.0e38;

@compute @workgroup_size(1)
fn attention_wide(@builtin(workgroup_id) at: vec3u) {
  let first = at.x * tile;
  let head = at.y;
  let b = at.z;
  let key_end = key_count();
  let query_end = query_count(q);
  let begin = seen_from(first);
  let end = seen_to(min(first + tile, query_end) - 1u, key_end);

  var query: array<wide, 4u * slices>;
  for (var s = 0u; s < slices; s++) {
    for (var t = 0u; t < tile; t++) {
      let place = min(first + t, query_end - 1u);
      let value = load_query(q, b, head, place, s) * scale;
      query[4u * s][t] = value.x;
      query[4u * s + 1u][t] = value.y;
      query[4u * s + 2u][t] = value.z;
      query[4u * s + 3u][t] = value.w;
    }
  }
  var seen_begin: wide;  // the first key that each query sees, and the one after the last
  var seen_end: wide;
  for (var t = 0u; t < tile; t++) {
    seen_begin[t] = f32(seen_from(first + t));
    seen_end[t] = f32(seen_to(first + t, key_end));
  }

  var sums: array<wide, 4u * slices>;
  var largest = wide(masked);
  var total = wide();
  for (var start = begin; start < end; start += block) {
    let count = min(block, end - start);
    var scores: array<wide, block>;
    var new_largest = largest;
    for (var part = 0u; part < count; part += step) {
      var rows: array<u32, step>;
      var products: array<wide, step>;
      @unroll for (var j = 0u; j < step; j++) {
        rows[j] = min(start + part + j, key_end - 1u);
        products[j] = wide();
      }
      for (var s = 0u; s < slices; s++) {
        let q0 = query[4u * s];
        let q1 = query[4u * s + 1u];
        let q2 = query[4u * s + 2u];
        let q3 = query[4u * s + 3u];
        @unroll for (var j = 0u; j < step; j++) {
          let key = load_key(b, head, rows[j], s);
          products[j] = fma(q0, wide(key.x), products[j]);
          products[j] = fma(q1, wide(key.y), products[j]);
          products[j] = fma(q2, wide(key.z), products[j]);
          products[j] = fma(q3, wide(key.w), products[j]);
        }
      }
      @unroll for (var j = 0u; j < step; j++) {
        let place = start + part + j;
        if (softcap > 0.0) {
          products[j] = softcap * tanh(products[j]);
        }
        if (place >= end) {
          products[j] = wide(masked);
        } else {
          if (causal) {
            products[j] = select(wide(masked), products[j], wide(f32(place)) < seen_end);
          }
          if (window > 0u) {
            products[j] = select(wide(masked), products[j], wide(f32(place)) >= seen_begin);
          }
        }
        scores[part + j] = products[j];
        new_largest = max(new_largest, products[j]);
      }
    }

    let correction = exp2(largest - new_largest);
    largest = new_largest;
    total *= correction;
    for (var c = 0u; c < 4u * slices; c++) {
      sums[c] *= correction;
    }
    for (var j = 0u; j < (count + step - 1u) / step * step; j++) {
      scores[j] = exp2(scores[j] - largest);
      total += scores[j];
    }
    for (var part = 0u; part < count; part += step) {
      var rows: array<u32, step>;
      var weights: array<wide, step>;
      @unroll for (var j = 0u; j < step; j++) {
        rows[j] = min(start + part + j, key_end - 1u);
        weights[j] = scores[part + j];
      }
      for (var s = 0u; s < slices; s++) {
        var s0 = sums[4u * s];
        var s1 = sums[4u * s + 1u];
        var s2 = sums[4u * s + 2u];
        var s3 = sums[4u * s + 3u];
        @unroll for (var j = 0u; j < step; j++) {
          let value = load_value(b, head, rows[j], s);
          s0 = fma(weights[j], wide(value.x), s0);
          s1 = fma(weights[j], wide(value.y), s1);
          s2 = fma(weights[j], wide(value.z), s2);
          s3 = fma(weights[j], wide(value.w), s3);
        }
        sums[4u * s] = s0;
        sums[4u * s + 1u] = s1;
        sums[4u * s + 2u] = s2;
        sums[4u * s + 3u] = s3;
      }
    }
  }

  for (var c = 0u; c < 4u * slices; c++) {
    sums[c] /= total;
  }
  for (var t = 0u; t < min(tile, query_end - first); t++) {
    for (var s = 0u; s < slices; s++) {
      let value = vec4f(sums[4u * s][t], sums[4u * s + 1u][t], sums[4u * s + 2u][t], sums[4u * s + 3u][t]);
      let place = place_in(y, head, first + t, s);
      tensorStore(y, b, place.x, place.y, place.z, epilogue(value, b, place.x, place.y, place.z));
    }
  }
}
