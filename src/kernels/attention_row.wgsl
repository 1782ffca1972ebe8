// Attention of few queries over a KV cache, for devices whose invocations run on wide registers (CPUs): an invocation
// takes one row of queries of a KV head. Positions are taken in blocks with the running maximum and sum kept: scores of
// four positions at once, exponentials of sixteen, and the sums of up to sixteen slices in registers over a block, so that
// no addition waits for the one before.
import package::head_rows::{
  key_count, load_key, load_query, load_value, place_in, seen_from, seen_to, slices, softcap
};

@tensor var<read> q: tensor<f32>;  // shapes of q, keys, values and y: head_rows
@tensor var<write> y: tensor<f32>;

override scale: f32;  // times log2(e): the exponentials are powers of two; over the softcap where there is one

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

alias wide = vec16<f32>;
const block = 64u;  // positions between two looks at the maximum
const wides = block / 16u;
const step = 4u;    // positions at once
const held = min(slices, 16u);
const masked = -3.0e38;

@compute @workgroup_size(1)
fn attention_row(@builtin(workgroup_id) at: vec3u) {
  let row = at.x;
  let head = at.y;
  let end = seen_to(row, key_count());

  var query: array<vec4f, slices>;
  var sums: array<vec4f, slices>;
  for (var s = 0u; s < slices; s++) {
    query[s] = load_query(q, 0u, head, row, s) * scale;
    sums[s] = vec4f();
  }
  var largest = masked;
  var total = wide();
  for (var start = seen_from(row); start < end; start += block) {
    let count = min(block, end - start);
    var scores: array<wide, wides>;
    @unroll for (var i = 0u; i < wides; i++) {
      scores[i] = wide(masked);
    }
    for (var part = 0u; part < count; part += step) {
      var rows: array<u32, step>;
      var products: array<vec4f, step>;
      @unroll for (var j = 0u; j < step; j++) {
        rows[j] = min(start + part + j, end - 1u);
        products[j] = vec4f();
      }
      for (var s = 0u; s < slices; s++) {
        let value = query[s];
        @unroll for (var j = 0u; j < step; j++) {
          products[j] = fma(value, load_key(0u, head, rows[j], s), products[j]);
        }
      }
      @unroll for (var j = 0u; j < step; j++) {
        if (part + j < count) {
          scores[part / 16u][part % 16u + j] = (products[j].x + products[j].y) + (products[j].z + products[j].w);
        }
      }
    }

    var of_block = wide(masked);
    @unroll for (var i = 0u; i < wides; i++) {
      if (softcap > 0.0) {
        scores[i] = select(softcap * tanh(scores[i]), wide(masked), scores[i] <= wide(masked));
      }
      of_block = max(of_block, scores[i]);
    }
    var new_largest = largest;
    @unroll for (var i = 0u; i < 16u; i++) {
      new_largest = max(new_largest, of_block[i]);
    }
    let correction = exp2(largest - new_largest);
    largest = new_largest;
    total *= correction;
    @unroll for (var i = 0u; i < wides; i++) {
      scores[i] = exp2(scores[i] - wide(largest));
      total += scores[i];
    }

    @unroll for (var first = 0u; first < slices; first += held) {
      var part: array<vec4f, held>;
      @unroll for (var s = 0u; s < min(held, slices - first); s++) {
        part[s] = sums[first + s] * correction;
      }
      for (var j = 0u; j < count; j++) {
        let weight = vec4f(scores[j / 16u][j % 16u]);
        @unroll for (var s = 0u; s < min(held, slices - first); s++) {
          part[s] = fma(weight, load_value(0u, head, start + j, first + s), part[s]);
        }
      }
      @unroll for (var s = 0u; s < min(held, slices - first); s++) {
        sums[first + s] = part[s];
      }
    }
  }

  var sum = 0.0;
  @unroll for (var i = 0u; i < 16u; i++) {
    sum += total[i];
  }
  for (var s = 0u; s < slices; s++) {
    let to = place_in(y, head, row, s);
    tensorStore(y, to.y, to.z, epilogue(sums[s] / sum, 0u, 0u, to.y, to.z));
  }
}
