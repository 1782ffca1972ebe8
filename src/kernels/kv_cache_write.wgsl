// Writing to the K and V caches: tensors of f32 or f16, or words of 8-bit blocks (graph/quantized_cache.h says how).
// store_k and store_v take the slices of one head from all invocations; finish_k and finish_v follow, once a head, which
// all invocations call: where a cache is quantized they write what was kept in workgroup memory until then.
import package::reduce::lanes;
import package::rotary::head_size;

@tensor var<write> k_cache: tensor<f32>;  // {H = kv_heads, W = places, C = head_size}
@tensor var<write> v_cache: tensor<f32>;
var<storage, read_write> k_words: array<u32>;  // in place of the tensor where a cache is quantized
var<storage, read_write> v_words: array<u32>;

override ring: bool;
override k_quantized: bool = false;
override v_quantized: bool = false;

const slices = (head_size + 3u) / 4u;
const row_blocks = (slices + 7u) / 8u;
const team = min(lanes, 8u);  // invocations that share a block

var<workgroup> row: array<vec4f, slices>;

// The place of a position.
fn cache_place(position: u32) -> u32 {
  return select(position, position % tensorWidth(k_cache), ring);
}

fn store_k(head: u32, place: u32, s: u32, value: vec4f) {
  if (k_quantized) {
    row[s] = value;
  } else {
    tensorStore(k_cache, 0u, head, place, s, value);
  }
}

fn store_v(head: u32, place: u32, s: u32, value: vec4f) {
  if (v_quantized) {
    row[s] = value;
  } else {
    tensorStore(v_cache, 0u, head, place, s, value);
  }
}

// One invocation a group needs no barrier, and on CPUs a barrier costs.
fn wait_for_all() {
  if (lanes > 1u) {
    workgroupBarrier();
  }
}

fn row_slice(s: u32) -> vec4f {
  if (s < slices) {
    return row[s];
  }
  return vec4f();
}

// The largest magnitude of a block of the row; no number where one of its values is none.
fn block_largest(block: u32) -> f32 {
  var largest = vec4f();
  var sum = vec4f();
  for (var part = 0u; part < 8u; part++) {
    let magnitude = abs(row_slice(8u * block + part));
    largest = max(largest, magnitude);
    sum += magnitude;
  }
  let total = sum.x + sum.y + sum.z + sum.w;
  return select(max(max(largest.x, largest.y), max(largest.z, largest.w)), total, total != total);
}

fn block_scale(largest: f32) -> f32 {
  return select(largest * (1.0 / 127.0), 0.0, largest < 1e-30);
}

// Four channels as bytes; none but zeroes of a block whose largest is no number or as good as zero.
fn block_word(block: u32, part: u32, largest: f32) -> u32 {
  let inverse = select(0.0, 127.0 / largest, largest >= 1e-30 && largest < 3.0e38);
  let value = row_slice(8u * block + part);
  return pack4xI8(vec4i(round(select(vec4f(), value * inverse, vec4<bool>(inverse > 0.0)))));
}

fn finish_k(head: u32, place: u32, lane: u32) {
  if (k_quantized) {
    wait_for_all();
    let first = (head * tensorWidth(k_cache) + place) * row_blocks;
    for (var block = lane / team; block < row_blocks; block += lanes / team) {
      let largest = block_largest(block);
      for (var part = lane % team; part < 8u; part += team) {
        k_words[(first + block) * 9u + part] = block_word(block, part, largest);
      }
      if (lane % team == 0u) {
        k_words[(first + block) * 9u + 8u] = bitcast<u32>(block_scale(largest));
      }
    }
    wait_for_all();
  }
}

fn finish_v(head: u32, place: u32, lane: u32) {
  if (v_quantized) {
    wait_for_all();
    let first = (head * tensorWidth(v_cache) + place) * row_blocks;
    for (var block = lane / team; block < row_blocks; block += lanes / team) {
      let largest = block_largest(block);
      for (var part = lane % team; part < 8u; part += team) {
        v_words[(first + block) * 9u + part] = block_word(block, part, largest);
      }
      if (lane % team == 0u) {
        v_words[(first + block) * 9u + 8u] = bitcast<u32>(block_scale(largest));
      }
    }
    wait_for_all();
  }
}
