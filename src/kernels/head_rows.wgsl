// Queries, keys and values of attention by head and row, so that one kernel serves two operations:
// - over a KV cache (`cached`): q is {H = kv_heads, W = tokens * group, C = head size}, y {W = tokens, C = heads * head
//   size}. A row of queries is token * group + query head of the KV head, a row of keys a position of the sequence.
// - without one: q, y, and keys and values in place of the caches are {B, H, W, C = heads * head size}; a row is a
//   position of the image or text, H before W.
import package::kv_cache::{cache_place, k_cache, k_quantized, load_k, load_v, v_cache, v_quantized};
import package::parameters::Parameters;

var<uniform> parameters: Parameters;

override cached: bool;
override slices: u32;  // of a head
override causal: bool;
override query_rows_per_token: u32 = 0u;  // without a cache; 0: no token axis, all rows count
override key_rows_per_token: u32 = 0u;
override group: u32 = 1u;      // query heads for each KV head
override window: u32 = 0u;     // 0: none
override softcap: f32 = 0.0;   // 0: none; times log2(e), as scores are

// Rows of queries that count in a run.
fn query_count(q: tensor<f32>) -> u32 {
  if (cached) {
    return parameters.tokens * group;
  }
  if (query_rows_per_token > 0u) {
    return parameters.tokens * query_rows_per_token;
  }
  return tensorHeight(q) * tensorWidth(q);
}

// Rows of keys that count in a run.
fn key_count() -> u32 {
  if (cached) {
    return parameters.position + parameters.tokens;
  }
  if (key_rows_per_token > 0u) {
    return parameters.tokens * key_rows_per_token;
  }
  return tensorHeight(k_cache) * tensorWidth(k_cache);
}

fn position_of(row: u32) -> u32 {
  if (cached) {
    return parameters.position + row / group;
  }
  return row;
}

// The first key that a query sees, and the one after the last. Both grow with the row.
fn seen_from(row: u32) -> u32 {
  if (window > 0u) {
    return max(position_of(row) + 1u, window) - window;
  }
  return 0u;
}

fn seen_to(row: u32, key_end: u32) -> u32 {
  if (causal) {
    return min(key_end, position_of(row) + 1u);
  }
  return key_end;
}

fn load_query(q: tensor<f32>, b: u32, head: u32, row: u32, s: u32) -> vec4f {
  if (cached) {
    return tensorLoad(q, 0u, head, row, s);
  }
  return tensorLoad(q, b, row / tensorWidth(q), row % tensorWidth(q), head * slices + s);
}

fn load_key(b: u32, head: u32, row: u32, s: u32) -> vec4f {
  if (cached) {
    return load_k(head, cache_place(row), s);
  }
  return tensorLoad(k_cache, b, row / tensorWidth(k_cache), row % tensorWidth(k_cache), head * slices + s);
}

fn load_value(b: u32, head: u32, row: u32, s: u32) -> vec4f {
  if (cached) {
    return load_v(head, cache_place(row), s);
  }
  return tensorLoad(v_cache, b, row / tensorWidth(v_cache), row % tensorWidth(v_cache), head * slices + s);
}

// The same in halves, of tensors that are stored so.
fn key_halves(b: u32, head: u32, row: u32, s: u32) -> vec2<u32> {
  if (k_quantized) {
    return as_halves(load_k(head, cache_place(row), s));
  }
  if (cached) {
    return tensorLoadHalves(k_cache, 0u, head, cache_place(row), s);
  }
  return tensorLoadHalves(k_cache, b, row / tensorWidth(k_cache), row % tensorWidth(k_cache), head * slices + s);
}

fn value_halves(b: u32, head: u32, row: u32, s: u32) -> vec2<u32> {
  if (v_quantized) {
    return as_halves(load_v(head, cache_place(row), s));
  }
  if (cached) {
    return tensorLoadHalves(v_cache, 0u, head, cache_place(row), s);
  }
  return tensorLoadHalves(v_cache, b, row / tensorWidth(v_cache), row % tensorWidth(v_cache), head * slices + s);
}

fn as_halves(value: vec4f) -> vec2<u32> {
  return vec2<u32>(pack2x16float(value.xy), pack2x16float(value.zw));
}

// Where slice s of a query's result is in y: its y, x and slice.
fn place_in(y: tensor<f32>, head: u32, row: u32, s: u32) -> vec3u {
  if (cached) {
    return vec3u(0u, row / group, (head * group + row % group) * slices + s);
  }
  return vec3u(row / tensorWidth(y), row % tensorWidth(y), head * slices + s);
}

// Scores are powers of two: times log2(e), or where there is a softcap, divided by it.
fn capped(score: vec4f) -> vec4f {
  if (softcap > 0.0) {
    return softcap * tanh(score);
  }
  return score;
}
