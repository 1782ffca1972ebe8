// The K and V caches as attention reads them: tensors of f32 or f16, or words of 8-bit blocks (graph/quantized_cache.h
// says how). All kernels that read a cache import from here; what a specialisation does not use has no binding.
//
// Position j of the sequence is at place j, in a ring at place j modulo the number of places.
@tensor var<read> k_cache: tensor<f32>;  // {H = kv_heads, W = places, C = head_size}
@tensor var<read> v_cache: tensor<f32>;
var<storage, read> k_words: array<u32>;  // in place of the tensor where a cache is quantized
var<storage, read> v_words: array<u32>;

override ring: bool;
override k_quantized: bool = false;
override v_quantized: bool = false;

const cache_slices = tensorSlices(k_cache);
const cache_places = tensorWidth(k_cache);
const row_blocks = (cache_slices + 7u) / 8u;

fn cache_place(position: u32) -> u32 {
  if (ring) {
    return position % cache_places;
  }
  return position;
}

// The word that holds the scale of slice s of a row, the last of its block.
fn scale_word(head: u32, place: u32, s: u32) -> u32 {
  return ((head * cache_places + place) * row_blocks + s / 8u) * 9u + 8u;
}

// Channels 4s to 4s + 3 of a KV head at a place.
fn load_k(head: u32, place: u32, s: u32) -> vec4f {
  if (k_quantized) {
    let at = scale_word(head, place, s);
    return vec4f(unpack4xI8(k_words[at - 8u + s % 8u])) * bitcast<f32>(k_words[at]);
  }
  return tensorLoad(k_cache, 0u, head, place, s);
}

fn load_v(head: u32, place: u32, s: u32) -> vec4f {
  if (v_quantized) {
    let at = scale_word(head, place, s);
    return vec4f(unpack4xI8(v_words[at - 8u + s % 8u])) * bitcast<f32>(v_words[at]);
  }
  return tensorLoad(v_cache, 0u, head, place, s);
}
