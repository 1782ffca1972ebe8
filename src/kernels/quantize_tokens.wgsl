// Integers of a token and their scale: q = round(x / scale), scale = the largest magnitude over 127. A workgroup a
// token.
import package::quantize::{inverse_of, largest_of, packed, scale_of, whole};
import package::reduce::{lanes, workgroup_max};

override packs: bool;  // words of four integers and sums of 32; else whole numbers

@tensor var<read> x: tensor<f32>;
@tensor var<write> words: tensor<u32>;   // eight for each 32 channels
@tensor var<write> sums: tensor<f32>;    // of these
@tensor var<write> values: tensor<f32>;  // where it does not pack
@tensor var<write> scale: tensor<f32>;

const chunks = (tensorSlices(x) + 7u) / 8u;

var<workgroup> chunk_sums: array<f32, 4u * ((chunks + 3u) / 4u)>;

// Words 4 texel to 4 texel + 3 of a token; their sum.
fn store_words(token: u32, texel: u32, inverse: f32) -> f32 {
  var bits = vec4<u32>();
  var sum = vec4f();
  @unroll for (var i = 0u; i < 4u; i++) {
    let s = 4u * texel + i;
    if (s < tensorSlices(x)) {
      let value = tensorLoad(x, token, s);
      sum += whole(value, inverse);
      bits[i] = packed(value, inverse);
    }
  }
  tensorStore(words, token, texel, bits);
  return dot(sum, vec4f(1.0));
}

@compute @workgroup_size(lanes)
fn quantize_tokens(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let token = group.x;
  let lane = local.x;
  var largest = 0.0;
  for (var s = lane; s < tensorSlices(x); s += lanes) {
    largest = max(largest, largest_of(tensorLoad(x, token, s)));
  }
  largest = workgroup_max(largest, lane);
  let inverse = inverse_of(largest);
  if (packs) {
    for (var chunk = lane; chunk < chunks; chunk += lanes) {
      let low = store_words(token, 2u * chunk, inverse);
      chunk_sums[chunk] = low + store_words(token, 2u * chunk + 1u, inverse);
    }
    for (var chunk = chunks + lane; chunk < 4u * tensorSlices(sums); chunk += lanes) {
      chunk_sums[chunk] = 0.0;
    }
    workgroupBarrier();
    for (var i = lane; i < tensorSlices(sums); i += lanes) {
      tensorStore(sums, token, i, vec4f(chunk_sums[4u * i], chunk_sums[4u * i + 1u], chunk_sums[4u * i + 2u],
                                        chunk_sums[4u * i + 3u]));
    }
  } else {
    for (var s = lane; s < tensorSlices(x); s += lanes) {
      tensorStore(values, token, s, whole(tensorLoad(x, token, s), inverse));
    }
  }
  if (lane == 0u) {
    tensorStore(scale, token, 0u, vec4f(scale_of(largest), 0.0, 0.0, 0.0));
  }
}
