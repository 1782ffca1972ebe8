// Where qkv_rows and qkv_wide store the projections of one token: queries by head, keys and values in the caches, after
// RoPE of queries and keys. Pairs are neighbouring channels and heads are whole slices, so that a slice turns by itself.
import package::kv_cache_write::{cache_place, store_k, store_v};
import package::rotary::{head_size, rotary, magnitude};

@tensor var<read> frequencies: tensor<f32>;
@tensor var<read> bias: tensor<f32>;
@tensor var<write> q_out: tensor<f32>;  // {H = kv_heads, W = heads / kv_heads, C = head_size}

override heads: u32;
override kv_heads: u32;
override biased: bool = false;

const group = heads / kv_heads;
const head_slices = head_size / 4u;
const qkv_slices = (heads + 2u * kv_heads) * head_slices;

// Slice s of a head, which holds pairs 2 s and 2 s + 1.
fn turned_slice(value: vec4f, position: f32, s: u32) -> vec4f {
  if (s >= rotary / 4u) {
    return value;
  }
  let four = tensorLoad(frequencies, s / 2u);
  let angles = position * select(four.xy, four.zw, s % 2u == 1u);
  let cosines = cos(angles) * magnitude;
  let sines = sin(angles) * magnitude;
  return value * cosines.xxyy + value.yxwz * vec4f(-sines.x, sines.x, -sines.y, sines.y);
}

// Slice s of q, k and v one after the other, for the token at a position.
fn store_qkv(product: vec4f, position: u32, s: u32) {
  var value = product;
  if (biased) {
    value += tensorLoad(bias, s);
  }
  let head = s / head_slices;
  let part = s % head_slices;
  if (head < heads) {
    tensorStore(q_out, 0u, head / group, head % group, part, turned_slice(value, f32(position), part));
  } else if (head < heads + kv_heads) {
    store_k(head - heads, cache_place(position), part, turned_slice(value, f32(position), part));
  } else {
    store_v(head - heads - kv_heads, cache_place(position), part, value);
  }
}
